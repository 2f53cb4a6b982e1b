import type { Session } from "./objects";

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page a payer is sent to, with a button for each outcome. */
export function hostedPage(session: Session): string {
  const money =
    session.amount_total === null
      ? ""
      : `<p>${session.currency?.toUpperCase()} ${session.amount_total}</p>`;
  const declined = session.declined ? `<p role="alert">${escaped(session.declined)}</p>` : "";
  const closed = session.status === "expired" ? "<p>This page has expired.</p>" : "";
  const button = (outcome: string, words: string) =>
    `<button name="outcome" value="${outcome}">${words}</button>`;
  const buttons =
    session.mode === "payment"
      ? [
          button("approve", "Pay"),
          button("decline", "Card is declined"),
          button("approve_later", "Pay by bank, later"),
        ]
      : [button("approve", "Save card"), button("decline", "Card is declined")];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Checkout</title><main><h1>${escaped(session.title)}</h1>${money}${declined}${closed || `<form method="post">${buttons.join("")}</form>`}<p><a href="${escaped(session.cancel_url)}">Back</a></p></main></html>`;
}
