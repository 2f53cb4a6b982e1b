import type { Page, Route } from "@playwright/test";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";
import { newLink, newTokenization, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { arrive, notice, pick } from "./screen";

const outcome = (page: Page) => page.getByRole("status", { name: "A request without a response" });

/** The server does it, and the browser never hears of it. */
const cutAfter = async (route: Route) => {
  await route.fetch();
  await route.abort("connectionreset");
};
/** The browser's request does not leave. */
const cutBefore = (route: Route) => route.abort("internetdisconnected");
const settling = "**/api/requests/settle";

async function activeToken(shop: Shop): Promise<string> {
  const token = await newTokenization(shop);
  await saveMethod(token);
  return token._id;
}
const charges = async (shop: Shop, token: string) =>
  (await shop.api.ok<{ data: Payment[] }>("GET", `/payments?tokenization_id=${token}`)).data.length;

/** Fills the form in and presses the button; the dialog then asks. */
async function askToCharge(page: Page, amount = "32") {
  const form = page.getByRole("form", { name: "Charge" });
  await form.getByLabel("Amount").fill(amount);
  await pick(form.getByLabel("Currency"), "USD");
  await form.getByRole("button", { name: "Charge…" }).click();
  return page.getByRole("alertdialog", { name: "Charge USD 32.00 to Visa 4242?" });
}

test("a charge asks by amount and card, and warns of an equal one a moment ago", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const settled: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/requests/settle")) settled.push(request.url());
  });
  const token = await activeToken(shop);
  const charge = at(`/tokens/${token}/charge`);
  await arrive(page, charge, "Charge token");
  const dialog = await askToCharge(page);
  await expect(dialog.getByRole("button", { name: "Charge USD 32.00" })).toBeEnabled();
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await audit(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("form", { name: "Charge" }).getByLabel("Amount")).toHaveValue(
    /^32(\.00)?$/,
  );
  expect(await charges(shop, token)).toBe(0);
  await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  await expect(notice(page, "USD 32.00 charged")).toBeVisible();

  await page.goto(charge);
  await askToCharge(page);
  await expect(dialog.getByRole("alert")).toContainText(
    "USD 32.00 was charged to this saved method within the last 15 minutes:",
  );
  await expect(dialog.getByRole("alert").getByRole("link")).toHaveAttribute(
    "href",
    /\/payments\/[0-9a-f]{24}$/,
  );
  await audit(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00 again" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  expect(await charges(shop, token)).toBe(2);

  await page.goto(at(`/tokens/${token}`));
  const mails = page.getByRole("list", { name: "Mails" });
  await expect(mails.getByText(/Receipt: USD 32.00 paid to/)).toHaveCount(2);
  // An answer that comes is never asked for: asking while a request is on its way could stop it.
  expect(settled).toEqual([]);
});

test("a charge whose answer is lost is found, and made once", async ({ page, shop, at }) => {
  const token = await activeToken(shop);
  await arrive(page, at(`/tokens/${token}/charge`), "Charge token");
  await page.route(`**/api/tokenizations/${token}/charge`, cutAfter, { times: 1 });
  const dialog = await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  await expect(notice(page, "USD 32.00 charged")).toBeVisible();
  expect(await charges(shop, token)).toBe(1);
});

test("until it is known the page says unknown and sends nothing, through a reload and in another tab", async ({
  page,
  context,
  shop,
  at,
  audit,
}) => {
  const token = await activeToken(shop);
  const other = await context.newPage();
  await arrive(other, at(`/tokens/${token}/charge`), "Charge token");
  await arrive(page, at(`/tokens/${token}/charge`), "Charge token");
  await page.route(`**/api/tokenizations/${token}/charge`, cutAfter, { times: 1 });
  await context.route(settling, cutBefore);
  const dialog = await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(outcome(page)).toContainText("The charge of USD 32.00 to Visa 4242");
  await expect(outcome(page)).toContainText("the outcome is unknown. Kutip cannot be reached.");
  await expect(page.getByText(/nothing (is known to have|has) changed/i)).toHaveCount(0);
  await audit(page);

  await page.reload();
  await expect(outcome(page)).toContainText("the outcome is unknown");
  await expect(page.getByRole("button", { name: "Charge…" })).toBeDisabled();

  // The other tab was open before: it learns of the open charge when it is about to send its own.
  const second = await askToCharge(other);
  await second.getByRole("button", { name: /^Charge USD 32.00/ }).click();
  await expect(outcome(other)).toContainText("the outcome is unknown");
  await context.unroute(settling);
  // The page asks again on its own schedule: the button may be gone.
  await outcome(other)
    .getByRole("button", { name: "Ask now" })
    .click({ timeout: 3_000 })
    .catch(() => undefined);
  await expect(outcome(other)).toContainText("the money was collected.");
  await expect(other.getByText("An earlier request was still open.")).toBeVisible();
  await expect(outcome(page)).toContainText("Here’s what happened");
  await outcome(page).getByRole("link", { name: "Show the payment" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "USD 32.00" })).toBeVisible();
  expect(await charges(shop, token)).toBe(1);
});

test("a charge that never reached Kutip is said to be not made, and can be made then", async ({
  page,
  shop,
  at,
}) => {
  const token = await activeToken(shop);
  await arrive(page, at(`/tokens/${token}/charge`), "Charge token");
  await page.route(`**/api/tokenizations/${token}/charge`, cutBefore, { times: 1 });
  const dialog = await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(
    page.getByText("The charge of USD 32.00 to Visa 4242 was not made", { exact: false }).first(),
  ).toBeVisible();
  expect(await charges(shop, token)).toBe(0);
  await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  expect(await charges(shop, token)).toBe(1);
});

test("a refund whose answer is lost is made once, also after a reload", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await pay(link);
  const [payment] = (
    await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${link._id}`)
  ).data;
  if (!payment) throw new Error("not paid");
  await page.goto(at(`/payments/${payment._id}`));
  const refunds = async () =>
    (await shop.api.ok<{ data: Refund[] }>("GET", `/payments/${payment._id}/refunds`)).data.length;
  await page.route(`**/api/payments/${payment._id}/refunds`, (route) =>
    route.request().method() === "POST" ? cutAfter(route) : route.continue(),
  );
  await page.route(settling, cutBefore);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByRole("button", { name: /^Refund/ }).click();
  await expect(outcome(page)).toContainText("The refund of MYR 5.00");
  await expect(outcome(page)).toContainText("the outcome is unknown");
  await page.unrouteAll();
  await page.reload();
  await expect(outcome(page)).toContainText("Here’s what happened");
  await expect(page.getByRole("button", { name: /^Refund/ }).first()).toBeVisible();
  expect(await refunds()).toBe(1);
});

test("a payment by hand and a cancelled link whose answers are lost are done once, and never said to have changed nothing", async ({
  page,
  shop,
  at,
}) => {
  const paid = await newLink(shop);
  await arrive(page, at(`/payment-links/${paid._id}`), paid.title);
  await page.route(`**/api/payment-links/${paid._id}/payments`, cutAfter, { times: 1 });
  const more = page.getByRole("button", { name: /^(More|Actions)/ }).first();
  await more.click();
  await page.getByRole("menuitem", { name: "Record a payment…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Record payment" }).click();
  await expect(notice(page, "MYR 12.50 recorded")).toBeVisible();
  const payments = await shop.api.ok<{ data: Payment[] }>(
    "GET",
    `/payments?payment_link_id=${paid._id}`,
  );
  expect(payments.data).toHaveLength(1);

  const cancelled = await newLink(shop);
  await arrive(page, at(`/payment-links/${cancelled._id}`), cancelled.title);
  await page.route(`**/api/payment-links/${cancelled._id}/cancel`, cutAfter, { times: 1 });
  await more.click();
  await page.getByRole("menuitem", { name: "Cancel link" }).click();
  await expect(notice(page, "This may have gone through")).toBeVisible();
  await expect(page.getByRole("main").locator("h1 + span")).toHaveText("Cancelled");
  expect((await shop.api.ok<PaymentLink>("GET", `/payment-links/${cancelled._id}`)).status).toBe(
    "Cancelled",
  );
});

test("where a session ended elsewhere, the sign-in page leaves no word of a payer in the browser", async ({
  page,
  context,
  shop,
  at,
}) => {
  const token = await activeToken(shop);
  await arrive(page, at(`/tokens/${token}/charge`), "Charge token");
  await page.route(`**/api/tokenizations/${token}/charge`, cutAfter, { times: 1 });
  await page.route(settling, cutBefore);
  const dialog = await askToCharge(page);
  await dialog.getByRole("button", { name: "Charge USD 32.00" }).click();
  await expect(outcome(page)).toContainText("the outcome is unknown");
  const kept = () =>
    page.evaluate(() =>
      Object.entries(localStorage).flatMap(([name, text]) =>
        name.startsWith("kutip-sent ") ? [JSON.parse(text) as Record<string, unknown>] : [],
      ),
    );
  expect(await kept()).toMatchObject([{ says: "The charge of USD 32.00 to Visa 4242" }]);

  await context.clearCookies();
  await page.goto("/sign-in");
  await expect
    .poll(async () => (await kept()).map(({ says, body }) => [says, body]))
    .toEqual([["A request", undefined]]);
});
