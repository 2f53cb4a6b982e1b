import { readFile } from "node:fs/promises";
import { withTransaction } from "@/db/client";
import type { Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import type { Balance } from "@/lib/contract/ledger";
import type { Payment } from "@/lib/contract/payments";
import type { RefundInput } from "@/lib/contract/refunds";
import { changeLink } from "@/lib/domain/payment-links/rows";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { create as refund } from "@/lib/flows/refund/steps";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { Problem } from "@/lib/kernel/problem";
import { script } from "@/lib/gateways/simulator/scripting";
import { expectFitsPhone } from "../accessibility";
import { newLink, payer, type Shop } from "../shop";
import { expect, signIn, test } from "./fixtures";
import { pay } from "./payer";
import { arrive, rowOf, rowsOf } from "./screen";
import { joinShop, newStaff } from "./staff";

const saysRefund = { name: /^Refund/ };
const paymentOf = async (shop: Shop, linkId: string) =>
  (await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${linkId}`)).data[0]
    ?._id ?? "";

test("the page of a paid link leads to its receipt and its refund, and to no refund for a viewer", {
  tag: "@phone",
}, async ({ page, shop, at, audit, install }) => {
  const link = await newLink(shop, { title: "Kopi tarik", amount: 1_250 });
  await arrive(page, at(`/payment-links/${link._id}`), "Kopi tarik");
  const receipt = page.getByRole("link", { name: "Receipt (PDF)" });
  const refunding = page.getByRole("link", { name: "Refund", exact: true });
  await expect(receipt).toHaveCount(0);
  await expect(refunding).toHaveCount(0);
  await pay(link);
  await expect(refunding).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent("download"), receipt.click()]);
  expect((await readFile(await download.path())).subarray(0, 4).toString()).toBe("%PDF");
  await audit(page);
  await refunding.click();
  const dialog = page.getByRole("dialog", { name: "Refund “Kopi tarik”" });
  await expect(dialog).toContainText(`${payer} paid MYR 12.50.`);
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("2.50");
  await dialog.getByRole("button", saysRefund).click();
  await expect(page.getByRole("list", { name: "Refunds" })).toContainText("MYR 2.50");
  await expect(page).toHaveURL(/payments\/[0-9a-f]{24}$/);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Kopi tarik" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Payments" })).toContainText("MYR 2.50 refunded");
  await expect(refunding).toBeVisible();
  const address = await refunding.getAttribute("href");

  const viewer = await newStaff(install, "Ben Okafor");
  await joinShop(viewer, shop, "viewer");
  await page.context().clearCookies();
  await signIn(page.context(), viewer, install);
  await page.reload();
  await expect(receipt).toBeVisible();
  await expect(refunding).toHaveCount(0);
  await page.goto(address ?? "");
  await expect(receipt).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test("of a link that was paid twice, its list of payments leads to each refund", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Kopi tarik", amount: 1_250 });
  await pay(link);
  await withTransaction((tx) => changeLink(shop.ctx, tx, link._id, { status: "Active" }));
  await pay(link);
  await arrive(page, at(`/payment-links/${link._id}`), "Kopi tarik");
  const payments = page.getByRole("list", { name: "Payments" }).getByRole("listitem");
  await expect(payments).toHaveCount(2);
  await expect(page.getByRole("link", { name: "Refund", exact: true })).toHaveCount(0);
  await payments.first().getByRole("link").click();
  await expect(page.getByRole("button", { name: "Refund", exact: true })).toBeVisible();
});

test("half of a payment goes back, then the rest, and the balance agrees", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Satay for two", amount: 1_250 });
  await pay(link);
  await arrive(page, at(`/payments/${await paymentOf(shop, link._id)}`), "MYR 12.50");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Refund “Satay for two”" });
  await expect(dialog.getByRole("radio", { name: "All that is left: MYR 12.50" })).toBeChecked();
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await audit(page);

  const submit = dialog.getByRole("button", saysRefund);
  const amount = dialog.getByRole("textbox", { name: "Amount" });
  await submit.click();
  await expect(dialog.getByText("Amount is required.")).toBeVisible();
  await amount.fill("12.51");
  await submit.click();
  await expect(amount).toHaveAccessibleDescription(/Amount must not be greater than MYR 12\.50\./);
  await expect(amount).toBeFocused();
  await amount.fill("6.25");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("One of them did not come");
  await submit.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("MYR 6.25 refunded")).toBeVisible();
  await expect(page.getByText("Partly refunded").first()).toBeVisible();
  const refunds = page.getByRole("list", { name: "Refunds" });
  await expect(refunds.getByRole("listitem")).toHaveText([
    /MYR 6\.25.*Succeeded.*One of them did not come/,
  ]);
  const story = page.getByRole("list", { name: "Timeline" });
  await expect(story).toContainText("Partly refunded");
  await expect(story).not.toContainText("partially_refunded");
  await audit(page);

  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(dialog.getByRole("radio", { name: "All that is left: MYR 6.25" })).toBeChecked();
  await dialog.getByRole("button", { name: "Refund MYR 6.25" }).click();
  await expect(refunds.getByRole("listitem")).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Refund", exact: true })).toBeHidden();
  await expect(page.getByText("All of the money was refunded.")).toBeVisible();

  await arrive(page, at("/balance"), "Balance");
  const sums = page.getByRole("region", { name: "Balance in MYR" });
  await expect(sums).toContainText(
    /Payments bookedMYR 12\.50.*RefundedMYR −12\.50.*FeesMYR −0\.25.*NetMYR −0\.25/,
  );
  await page.getByRole("button", { name: "Paid: any time" }).click();
  await page.getByRole("menuitemradio", { name: "Today" }).click();
  await expect(sums).toContainText(/Payments bookedMYR 12\.50.*NetMYR −0\.25/);
  await page.getByRole("link", { name: "see the entries" }).click();
  await expect(page.getByRole("button", { name: "Booked: today" })).toBeVisible();
  await expect(sums).toContainText(/Payments bookedMYR 12\.50.*NetMYR −0\.25/);
  await arrive(page, at(`/payment-links/${link._id}`), "Satay for two");
  await expect(page.getByRole("list", { name: "Payments" })).toContainText("MYR 12.50 refunded");
  await expect(
    page.getByRole("list", { name: "Timeline" }).getByText("Payment refunded"),
  ).toHaveCount(2);
  await expect(page.getByRole("heading", { level: 1 }).locator("..")).toContainText("Paid");
});

test("a refund that the bank refuses says why, and one without an answer is looked up automatically", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { amount: 1_000 });
  await pay(link);
  const { connection } = await resolveGateway(shop.ctx);
  const refundAll = async () => {
    await page.getByRole("button", { name: "Refund", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", saysRefund).click();
    await expect(page.getByRole("dialog")).toBeHidden();
  };
  await arrive(page, at(`/payments/${await paymentOf(shop, link._id)}`), "MYR 10.00");
  await script(connection.id, "refund", "decline");
  await refundAll();
  const refunds = page.getByRole("list", { name: "Refunds" });
  await expect(refunds.getByRole("listitem").first()).toContainText(
    /Failed.*The bank refused the refund\./,
  );
  await script(connection.id, "refund", "reset");
  await refundAll();
  await expect(refunds.getByRole("listitem").first()).toContainText("Succeeded");
  await expect(page.getByText("All of the money was refunded.")).toBeVisible();
});

const advice =
  "It has no refunds in its API. Give the money back at Simulator, then record the refund here.";

/** Handles the page's refunds as a server does with a gateway that has none in its API. Returns the bodies that the page sends. */
async function withoutRefunds(page: Page, shop: Shop): Promise<RefundInput[]> {
  const sent: RefundInput[] = [];
  await page.route("**/api/payments/*/refunds", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const body = route.request().postDataJSON() as RefundInput;
    sent.push(body);
    const [, paymentId = ""] = /payments\/(\w+)\//.exec(route.request().url()) ?? [];
    const { refundSupport } = simulatorGateway;
    simulatorGateway.refundSupport = async () => ({
      kind: "unsupported",
      reason: advice,
    });
    try {
      await route.fulfill({
        json: { success: true, data: await refund(shop.ctx, paymentId, body) },
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status, code, message } = error;
      await route.fulfill({ status, json: { code, message, errors: {} } });
    } finally {
      simulatorGateway.refundSupport = refundSupport;
    }
  });
  return sent;
}

test("a refund that the gateway cannot make is made there by hand and recorded here", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Laksa for two", amount: 1_250 });
  await pay(link);
  const sent = await withoutRefunds(page, shop);
  await arrive(page, at(`/payments/${await paymentOf(shop, link._id)}`), "MYR 12.50");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Refund “Laksa for two”" });
  const made = dialog.getByRole("checkbox", {
    name: "I returned the money to the payer",
  });
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("6.25");
  await expect(made).toBeHidden();
  await dialog.getByRole("button", saysRefund).click();

  await expect(dialog.getByRole("alert")).toContainText(advice);
  await expect(dialog).toHaveAccessibleDescription(
    /Unless the payer has the money already, return it first, at the payment provider or by bank transfer\./,
  );
  await expect(made).toHaveAccessibleDescription("Recording it moves no money.");
  await expect(made).not.toBeChecked();
  await expect(dialog.getByRole("textbox", { name: "Amount" })).toHaveValue("6.25");
  await audit(page);

  const record = dialog.getByRole("button", { name: "Record refund" });
  await record.click();
  await expect(dialog.getByRole("alert")).toContainText(advice);
  await expect(page.getByRole("list", { name: "Refunds" })).toBeHidden();
  await made.check();
  await record.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("MYR 6.25 refunded")).toBeVisible();
  await expect(page.getByText("Partly refunded").first()).toBeVisible();
  await expect(page.getByRole("list", { name: "Refunds" }).getByRole("listitem")).toHaveText([
    /MYR 6\.25.*Succeeded/,
  ]);
  expect(sent.map((body) => [body.amount, body.made_at_gateway ?? false])).toEqual([
    [625, false],
    [625, false],
    [625, true],
  ]);
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(dialog.getByRole("radio", { name: "All that is left: MYR 6.25" })).toBeChecked();
  await expect(dialog.getByRole("checkbox")).not.toBeChecked();
});

test("a payment is recorded by hand with the keyboard, and given back by hand", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Stall rent", amount: 4_500 });
  await arrive(page, at(`/payment-links/${link._id}`), "Stall rent");
  await page.getByRole("button", { name: "More actions" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Record a payment…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Record a payment of “Stall rent”" });
  await dialog.getByRole("combobox", { name: "How it came" }).selectOption("Bank transfer");
  await dialog.getByLabel("When it came").fill("2199-01-01T10:00");
  await dialog.getByRole("textbox", { name: "Note" }).fill("Statement of Monday");
  await audit(page);
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await expect(
    dialog.getByText("When it came must be a date before or equal to now."),
  ).toBeVisible();
  await dialog.getByLabel("When it came").fill("2026-01-02T10:00");
  await dialog.getByRole("button", { name: "Record payment" }).press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("list", { name: "Payments" })).toContainText(
    /MYR 45\.00.*Succeeded.*Bank transfer, by hand/,
  );
  await expect(
    page.getByRole("list", { name: "Timeline" }).getByText("Payment recorded by hand"),
  ).toBeVisible();

  await page
    .getByRole("list", { name: "Payments" })
    .getByRole("link", { name: "MYR 45.00" })
    .click();
  await expect(page.getByText("Statement of Monday", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await expect(
    page
      .getByRole("dialog")
      .getByText("This payment was recorded by hand, so return the money by hand"),
  ).toBeVisible();
  await page.getByRole("dialog").getByRole("button", saysRefund).click();
  await expect(page.getByText("All of the money was refunded.")).toBeVisible();
});

test("the balance agrees with the API, its filters are in the address, and its export has what is listed", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await pay(await newLink(shop, { amount: 10_000 }));
  await recordManualPayment(shop.ctx, (await newLink(shop, { amount: 700 }))._id, {
    method: "cash",
  });
  await recordManualPayment(shop.ctx, (await newLink(shop, { amount: 900, currency: "JPY" }))._id, {
    method: "other",
  });
  await arrive(page, at(), "Overview");
  await page
    .getByRole("navigation", { name: "Console" })
    .getByRole("link", { name: "Balance" })
    .click();
  const { currencies } = await shop.api.ok<Balance>("GET", "/balance");
  expect(currencies.map(({ currency, gross, fees, net }) => [currency, gross, fees, net])).toEqual([
    ["JPY", 900, 0, 900],
    ["MYR", 10_700, 200, 10_500],
  ]);
  await expect(page.getByRole("region", { name: "Balance in MYR" })).toContainText(
    /Payments bookedMYR 107\.00.*FeesMYR −2\.00.*NetMYR 105\.00.*MYR 7\.00 was recorded by hand/,
  );
  await expect(page.getByRole("region", { name: "Balance in JPY" })).toContainText(
    /Payments bookedJPY 900.*NetJPY 900/,
  );
  await expect(rowsOf(page, "Payments")).toHaveCount(3);
  await expect(rowOf(page, "Payments", "MYR 100.00")).toContainText(/−2\.00.*98\.00/s);
  await expect(rowOf(page, "Payments", payer).first()).toBeVisible();
  await page.getByRole("tab", { name: "Journal" }).click();
  await expect(page).toHaveURL(/view=journal/);
  await expect(rowsOf(page, "Ledger entries")).toHaveCount(8);

  await page.getByRole("combobox", { name: "Currency" }).selectOption("MYR");
  await page.getByRole("combobox", { name: "For" }).selectOption("Fee");
  await expect(page).toHaveURL(/currency=MYR&kind=fee/);
  await expect(rowsOf(page, "Ledger entries")).toHaveCount(2);
  await expect(page.getByRole("region", { name: "Balance in JPY" })).toBeHidden();
  await page.reload();
  await expect(rowsOf(page, "Ledger entries")).toHaveCount(2);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const lines = parse(await readFile(await download.path()), { bom: true });
  expect(lines).toHaveLength(3);
  await page.goBack();
  await expect(rowsOf(page, "Ledger entries")).toHaveCount(6);
  await audit(page);
  await expectFitsPhone(page);
});

test("a payment that came after its link was gone is offered for refund on its page", async ({
  page,
  browser,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Withdrawn", amount: 1_000 });
  const payer = await browser.newPage();
  await payer.goto(link.payment_url);
  await payer.getByRole("button", { name: /^Pay / }).click();
  const approve = payer.getByRole("button", { name: "Approve", exact: true });
  await expect(approve).toBeVisible();
  await withTransaction((tx) => changeLink(shop.ctx, tx, link._id, { status: "Cancelled" }));
  await approve.click();
  await expect(approve).toBeHidden();
  await payer.close();
  await arrive(page, at(`/payments/${await paymentOf(shop, link._id)}`), "MYR 10.00");
  await page
    .getByRole("region", { name: "Paid late" })
    .getByRole("button", { name: "Refund it" })
    .click();
  await page.getByRole("dialog").getByRole("button", saysRefund).click();
  await expect(page.getByText("All of the money was refunded.")).toBeVisible();
});

test("staff are not offered what is for owners and admins", async ({
  page,
  shop,
  at,
  install,
  context,
}) => {
  const link = await newLink(shop, { title: "Someone else’s", amount: 1_000 });
  await pay(link);
  const address = at(`/payments/${await paymentOf(shop, link._id)}`);
  await arrive(page, address, "MYR 10.00");
  await expect(page.getByRole("button", { name: "Refund", exact: true })).toBeVisible();
  await context.clearCookies();
  const member = await newStaff(install);
  await joinShop(member, shop, "staff");
  await signIn(context, member, install);
  await arrive(page, address, "MYR 10.00");
  await expect(page.getByRole("link", { name: "Receipt (PDF)" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Refund", exact: true })).toBeHidden();
});
