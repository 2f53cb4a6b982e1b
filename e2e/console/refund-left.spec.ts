import type { Page } from "@playwright/test";
import type { Payment } from "@/lib/contract/payments";
import { newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { arrive } from "./screen";

/** Opens the refund dialog of a payment of MYR 12.50 and returns the payment's id. */
async function openRefund(page: Page, shop: Shop, at: (path: string) => string): Promise<string> {
  const link = await newLink(shop, { title: "Satay for two", amount: 1_250 });
  await pay(link);
  const { data } = await shop.api.ok<{ data: Payment[] }>(
    "GET",
    `/payments?payment_link_id=${link._id}`,
  );
  const id = data[0]?._id ?? "";
  const live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at(`/payments/${id}`), "MYR 12.50");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(left(page, "MYR 12.50")).toBeChecked();
  await live;
  return id;
}

const dialog = (page: Page) => page.getByRole("dialog", { name: "Refund “Satay for two”" });
const left = (page: Page, amount: string) =>
  dialog(page).getByRole("radio", { name: `All that is left: ${amount}` });
const submit = (page: Page) =>
  dialog(page)
    .getByRole("button", { name: /^Refund/ })
    .click();

test("all that is left is the amount on the label when the button is pressed", async ({
  page,
  shop,
  at,
}) => {
  const id = await openRefund(page, shop, at);
  await shop.api.ok("POST", `/payments/${id}/refunds`, { amount: 500 });
  await expect(left(page, "MYR 7.50")).toBeChecked();
  const sent = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith(`/payments/${id}/refunds`),
  );
  await submit(page);
  expect((await sent).postDataJSON()).toMatchObject({ amount: 750 });
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByText("MYR 7.50 refunded")).toBeVisible();
});

test("a refund of all that is left, by someone else, is said in the open dialog, which keeps what was typed and does not come back", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const id = await openRefund(page, shop, at);
  const reason = dialog(page).getByLabel("Reason");
  await reason.fill("One seat was not used");
  await shop.api.ok("POST", `/payments/${id}/refunds`, {});
  await expect(dialog(page).getByRole("alert")).toHaveText(
    /^MYR 12\.50 was refunded by API key .+\. Nothing is left\.$/,
  );
  await expect(reason).toHaveValue("One seat was not used");
  await expect(dialog(page).getByRole("button", { name: /^Refund/ })).toHaveCount(0);
  await audit(page);
  await page.keyboard.press("Escape");
  const discard = page.getByRole("alertdialog", { name: "Discard what you wrote?" });
  await discard.getByRole("button", { name: "Discard", exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);

  await page.goto(at(`/payments/${id}?refund=true`));
  await expect(page.getByRole("heading", { level: 1, name: "MYR 12.50" })).toBeVisible();
  await expect(page).not.toHaveURL(/refund=/);
  await expect(dialog(page)).toHaveCount(0);
});

test("an amount that is refused is said beside the button while its field is not shown, also after it was", async ({
  page,
  shop,
  at,
}) => {
  await openRefund(page, shop, at);
  await page.route("**/api/payments/*/refunds", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({
          status: 422,
          json: {
            message: "The given data was invalid.",
            code: "invalid_data",
            errors: { amount: ["The amount must not be greater than 750."] },
          },
        })
      : route.fallback(),
  );
  const says = "The amount must not be greater than MYR 7.50.";
  const alert = dialog(page).getByRole("alert");
  await submit(page);
  await expect(alert).toHaveText(says);
  await expect(alert).toBeFocused();

  await dialog(page).getByRole("radio", { name: "A part of it" }).check();
  const amount = dialog(page).getByRole("textbox", { name: "Amount" });
  await amount.fill("10.00");
  await submit(page);
  await expect(amount).toHaveAccessibleDescription(/Amount must not be greater than MYR 7\.50\./);
  await expect(amount).toBeFocused();
  await expect(alert).toHaveCount(0);

  await left(page, "MYR 12.50").check();
  await submit(page);
  await expect(alert).toHaveText(says);
  await expect(alert).toBeFocused();
});
