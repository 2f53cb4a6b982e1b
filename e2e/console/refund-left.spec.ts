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
  dialog(page).getByRole("button", { name: "Refund", exact: true }).click();

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
