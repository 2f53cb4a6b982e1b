import type { Purchase } from "./objects";

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page that a payer is sent to, with a button for each outcome. */
export function hostedPage(purchase: Purchase, query: URLSearchParams): string {
  const { currency, total, products } = purchase.purchase;
  const chosen = [query.get("preferred"), query.get("fpx_bank_code")].filter(Boolean).join(" ");
  const declined = purchase.status === "error" ? '<p role="alert">The payment failed.</p>' : "";
  const isOpen = ["created", "error", "overdue"].includes(purchase.status);
  const button = (outcome: string, words: string) =>
    `<button name="outcome" value="${outcome}">${words}</button>`;
  const buttons =
    total > 0
      ? [
          button("approve", "Pay"),
          button("decline", "Card is declined"),
          button("approve_later", "Pay by bank, later"),
        ]
      : [button("approve", "Save card"), button("decline", "Card is declined")];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Checkout</title><main><h1>${escaped(products[0]?.name ?? "")}</h1><p>${currency} ${total}</p><p>Method: ${escaped(chosen || "any")}</p>${declined}${isOpen ? `<form method="post">${buttons.join("")}</form>` : "<p>This page is closed.</p>"}<p><a href="${escaped(purchase.cancel_redirect ?? "")}">Back</a></p></main></html>`;
}
