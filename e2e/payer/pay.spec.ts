import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { hurry, setTimes } from "@/lib/gateways/simulator/scripting";
import { expect, test } from "../fixtures";
import { pdfText } from "../pdf-text";
import { linkInput, linkNow, newLink, payer, type Shop } from "../shop";

const pay = (page: Page) => page.getByRole("button", { name: /^Pay / }).click();
const choose = (page: Page, outcome: string) =>
  page.getByRole("button", { name: outcome, exact: true }).click();
const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { name, exact: true })).toBeVisible();

/** The worker alone settles a link; no page is open meanwhile. */
const expectPaidByItself = (shop: Shop, id: string) =>
  expect.poll(async () => (await linkNow(shop, id)).status, { timeout: 20_000 }).toBe("Paid");

const paymentsOf = (shop: Shop, id: string) =>
  shop.api
    .ok<{ data: Array<{ _id: string; status: string; amount: number }> }>(
      "GET",
      `/payments?payment_link_id=${id}`,
    )
    .then(({ data }) => data);

/** The page's receipt is a PDF that names the payment and keeps the payer's address to itself. */
async function expectReceipt(page: Page, title: string): Promise<void> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the receipt (PDF)" }).click();
  const pdf = await readFile(await (await downloading).path());
  for (const text of ["MYR 12.50", title, "INV-77"]) expect(pdfText(pdf)).toContain(text);
  expect(pdfText(pdf)).not.toContain(payer);
}

test("Approve: the link is paid, the payer is thanked, and opened again it is a receipt", {
  tag: "@noscript",
}, async ({ page, shop, audit }) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await heading(page, link.title);
  await expect(page.getByText("INV-77")).toBeVisible();
  await audit(page);
  expect(await page.content()).not.toContain(payer);
  await pay(page);
  await heading(page, "Choose how this payment ends");
  await audit(page);
  await choose(page, "Approve");
  await heading(page, "Thank you");
  for (const text of ["MYR 12.50", link.title, shop.name, "INV-77"])
    await expect(page.getByRole("main").getByText(text).first()).toBeVisible();
  await audit(page);
  await expectReceipt(page, link.title);
  expect(await linkNow(shop, link._id)).toMatchObject({ paid: true, status: "Paid" });
  expect(await paymentsOf(shop, link._id)).toMatchObject([{ status: "succeeded", amount: 1250 }]);
  await page.goto(link.payment_url);
  await heading(page, "Already paid");
  await expect(page.getByRole("button", { name: /Pay/ })).toHaveCount(0);
  await audit(page);
  await expectReceipt(page, link.title);
  expect(await page.content()).not.toContain(payer);
});

for (const [outcome, reason] of [
  ["Decline", "It may work later, or another card may."],
  ["Decline hard", "Another card is needed."],
] as const) {
  test(`${outcome}: the payer reads why, and can pay after all`, { tag: "@noscript" }, async ({
    page,
    shop,
    audit,
  }) => {
    const link = await newLink(shop);
    await page.goto(link.payment_url);
    await pay(page);
    await choose(page, outcome);
    await expect(page.getByRole("alert")).toContainText("The payment did not go through.");
    await expect(page.getByRole("alert")).toContainText(reason);
    await audit(page);
    expect(await linkNow(shop, link._id)).toMatchObject({ paid: false, status: "Active" });
    await pay(page);
    await choose(page, "Approve");
    await heading(page, "Thank you");
    expect((await paymentsOf(shop, link._id)).map(({ status }) => status)).toEqual([
      "succeeded",
      "failed",
    ]);
  });
}

test("Cancel: the payer is back where they were and nothing was taken", async ({
  page,
  shop,
  audit,
}) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await pay(page);
  await choose(page, "Cancel");
  await expect(page.getByText("You came back without paying.")).toBeVisible();
  await audit(page);
  expect(await linkNow(shop, link._id)).toMatchObject({ paid: false, status: "Active" });
});

test("Approve later: processing, and then paid by the worker alone, seen by who keeps checking", {
  tag: "@noscript",
}, async ({ page, shop, audit }) => {
  const { connection } = await resolveGateway(shop.ctx);
  await setTimes(connection, { approveAfterMs: 600_000 });
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await pay(page);
  await choose(page, "Approve later");
  await heading(page, "Nearly there");
  await expect(page.getByText("This page checks every ten seconds.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Check again" })).toBeVisible();
  await page.goto(link.payment_url);
  await heading(page, "Your payment is being processed");
  await expect(page.getByRole("button", { name: /Pay/ })).toHaveCount(0);
  expect(await linkNow(shop, link._id)).toMatchObject({ paid: false, status: "Processing" });
  await audit(page);
  await page.getByRole("link", { name: "Keep checking for me" }).click();
  await expect(page.getByText("This page checks every five seconds.")).toBeVisible();
  await hurry(connection.id);
  await heading(page, "Already paid");
  expect(await linkNow(shop, link._id)).toMatchObject({ paid: true, status: "Paid" });
});

test("Lose the answer: never failed, never paid twice, and found out by the worker alone", async ({
  page,
  shop,
  audit,
}) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await pay(page);
  await choose(page, "Lose the answer");
  await heading(page, "Nearly there");
  await audit(page);
  // Without a script or a press: the page becomes the receipt.
  await heading(page, "Thank you");
  await expectPaidByItself(shop, link._id);
  expect(await paymentsOf(shop, link._id)).toMatchObject([{ status: "succeeded" }]);
});

test("two tabs lead to one hosted page and one charge", async ({ page, context, shop }) => {
  const link = await newLink(shop);
  const other = await context.newPage();
  for (const tab of [page, other]) await tab.goto(link.payment_url);
  await Promise.all([pay(page), pay(other)]);
  for (const tab of [page, other]) await heading(tab, "Choose how this payment ends");
  expect(other.url()).toBe(page.url());
  await choose(page, "Approve");
  await heading(page, "Thank you");
  await choose(other, "Approve");
  await heading(other, "Thank you");
  expect(await paymentsOf(shop, link._id)).toMatchObject([{ status: "succeeded" }]);
});

test("a tab left open on a paid link takes no second payment", async ({ page, context, shop }) => {
  const link = await newLink(shop);
  const left = await context.newPage();
  for (const tab of [left, page]) await tab.goto(link.payment_url);
  await pay(page);
  await choose(page, "Approve");
  await heading(page, "Thank you");
  await pay(left);
  await heading(left, "Already paid");
  expect(await paymentsOf(shop, link._id)).toHaveLength(1);
});

test("the back button leads back to the page, and pressing again to the same hosted page", async ({
  page,
  shop,
}) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await pay(page);
  await heading(page, "Choose how this payment ends");
  const hosted = page.url();
  await page.goBack();
  await heading(page, link.title);
  await pay(page);
  await heading(page, "Choose how this payment ends");
  expect(page.url()).toBe(hosted);
  await choose(page, "Approve");
  await heading(page, "Thank you");
  // Back to the hosted page, which has ended, and on to the payment's state.
  await page.goto(hosted);
  await heading(page, "This session is finished");
  await page.getByRole("link", { name: "Back to the merchant" }).click();
  await heading(page, "Thank you");
  expect(await paymentsOf(shop, link._id)).toHaveLength(1);
});

test("a link changed while the payer looks at it is shown again before it can be paid", async ({
  page,
  shop,
  audit,
}) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await shop.api.ok("PUT", `/payment-links/${link._id}`, { ...linkInput, amount: 990_000 });
  await pay(page);
  await expect(page.getByText("This page has changed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Pay MYR 9,900.00" })).toBeVisible();
  await audit(page);
  expect(await paymentsOf(shop, link._id)).toEqual([]);
});

test("a link deleted while the payer is at the gateway takes no money", async ({ page, shop }) => {
  const link = await newLink(shop);
  await page.goto(link.payment_url);
  await pay(page);
  await heading(page, "Choose how this payment ends");
  await shop.api.ok("DELETE", `/payment-links/${link._id}`);
  await choose(page, "Approve");
  await heading(page, "This payment link was removed");
  expect(await paymentsOf(shop, link._id)).toMatchObject([{ status: "cancelled" }]);
});
