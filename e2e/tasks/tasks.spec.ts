import { readFile } from "node:fs/promises";
import type { Route } from "@playwright/test";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { Batch } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import type { Payment } from "@/lib/contract/payments";
import { newId } from "@/lib/kernel/ids";
import { pay, saveMethod } from "../console/payer";
import { newSubscription, subscriptionNow } from "../console/records";
import { notice, rowsOf } from "../console/screen";
import { pdfText } from "../pdf-text";
import { linkInput, linkNow, newLink, newTokenization } from "../shop";
import { expect, test } from "./fixtures";
import { bar, bulk, button, heading, links, openPalette, room, someone } from "./places";

test("Bill 300 parents for a school trip from a spreadsheet, two of whom have the same reference", async ({
  hand,
  page,
  shop,
}) => {
  const trip = `Trip ${newId().slice(-6)}`;
  const reference = (row: number) => `${trip}-${row === 299 ? 0 : row}`;
  const rows = Array.from(
    { length: 300 },
    (_, row) => `family${row}@example.com,${trip},MYR,"85,00",${reference(row)}`,
  );
  await hand.click(room(page, links));
  await hand.click(page.getByRole("link", { name: "Import", exact: true }));
  await hand.give(page.getByLabel(/CSV file|Spreadsheet/), "trip.csv", [
    "E-mail,Title,Currency,Amount,Reference",
    ...rows,
  ]);
  await expect(page.getByRole("main")).toContainText("1 row with a reference that is taken");
  await hand.click(button(page, "Create all anyway"));
  await hand.click(button(page, "Create 300 payment links"));
  await expect(page.getByRole("heading", { name: "300 payment links created" })).toBeVisible();
  const { data } = await shop.api.ok<{ data: unknown[] }>(
    "GET",
    `/payment-links?per_page=100&reference=${encodeURIComponent(reference(0))}`,
  );
  expect(data).toHaveLength(2);
});

test("Remind those who have not paid, but not those who pay this minute", async ({
  hand,
  page,
  shop,
}) => {
  const trip = `Trip ${newId().slice(-6)}`;
  const [paid, paying, open] = await bulk(
    shop,
    [1, 2, 3].map((one) => ({
      ...linkInput,
      email: someone(),
      title: trip,
      reference: `${trip}-${one}`,
    })),
  );
  if (!paid || !paying || !open) throw new Error("three links");
  await pay(paid);
  await hand.click(room(page, links));
  await hand.type(page.getByRole("searchbox", { name: "Search payment links" }), trip);
  await expect(rowsOf(page, links)).toHaveCount(3);
  await hand.pick(page.getByLabel("Status"), "Open");
  await expect(rowsOf(page, links)).toHaveCount(2);
  await hand.click(page.getByRole("checkbox", { name: "Select all payment links on this page" }));
  await hand.click(bar(page).getByRole("button", { name: "Remind" }));
  const strip = page.getByRole("list", { name: "Changes under way" });
  await expect(strip).toContainText("2 payment links");
  await pay(paying);
  const reminders = async () => {
    const { data } = await shop.api.ok<{ data: Batch[] }>("GET", "/batches?status=done");
    return data.find(({ action }) => action === "remind");
  };
  await expect.poll(reminders, { timeout: 60_000 }).toBeTruthy();
  expect(await reminders()).toMatchObject({ changed: 1, skipped: 1 });
});

test("Undo a wrong import of 5,000", async ({ hand, page, shop }) => {
  const wrong = `Wrong ${newId().slice(-6)}`;
  const made = await shop.api.ok<BulkReport>("POST", "/payment-links/bulk", {
    rows: Array.from({ length: 5_000 }, (_, row) => ({
      ...linkInput,
      email: `wrong${row}@example.com`,
      title: wrong,
      reference: `${wrong}-${row}`,
    })),
  });
  const early = made.rows[7]?.payment_link;
  if (!early) throw new Error("the import is not complete");
  await pay(early);
  await hand.click(room(page, links));
  await hand.click(page.getByRole("link", { name: "Imports and changes" }));
  await hand.click(rowsOf(page, "Changes of many payment links").first().getByRole("link").first());
  await hand.click(button(page, /^Undo/));
  await hand.click(
    page.getByRole("alertdialog").getByRole("button", { name: "Cancel open links" }),
  );
  await expect(heading(page, "Undo of an import: 5,000 payment links")).toBeVisible({
    timeout: 90_000,
  });
  await expect
    .poll(async () => (await linkNow(shop, made.rows[4_999]?.payment_link?._id ?? "")).status, {
      timeout: 90_000,
    })
    .toBe("Cancelled");
  expect((await linkNow(shop, early._id)).status).toBe("Paid");
});

test("Find out why a saved card was refused and charge it again, once, although the connection breaks", async ({
  hand,
  page,
  shop,
}) => {
  const email = someone();
  const token = await newTokenization(shop, { email });
  await saveMethod(token, 1);
  const cut = async (route: Route) => {
    await route.fetch();
    await route.abort("connectionreset");
  };
  const charge = { amount: 10_000, currency: "MYR", title: "Late fee" };
  await shop.api.call("POST", `/tokenizations/${token._id}/charge`, charge);
  await page.reload();
  await hand.click(room(page, "Payments"));
  await hand.type(page.getByRole("searchbox", { name: "Search payments" }), email);
  await hand.click(rowsOf(page, "Payments").first().getByRole("link").first());
  await expect(page.getByRole("main")).toContainText(/declined|insufficient|refused/i);
  await page.route(`**/api/tokenizations/*/charge`, cut, { times: 1 });
  await hand.click(page.getByRole("link", { name: "Charge again…" }));
  await expect(page.getByRole("textbox", { name: "Amount" })).toHaveValue("100.00");
  await hand.press("Control+Enter");
  await hand.click(page.getByRole("alertdialog").getByRole("button", { name: /^Charge / }));
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  const { data } = await shop.api.ok<{ data: Payment[] }>(
    "GET",
    `/payments?tokenization_id=${token._id}`,
  );
  expect(data.map(({ status }) => status).sort()).toEqual(["failed", "succeeded"]);
  // The failed one says so, and asks for no third.
  const failed = data.find(({ status }) => status === "failed");
  await page.goto(page.url().replace(/[^/]+$/, failed?._id ?? ""));
  await expect(
    page.getByText("The same amount was charged to this saved method since:"),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: "Charge again…" })).toHaveCount(0);
});

test("Tell the accountant what arrived last month after fees, and prove it equals the list", async ({
  hand,
  page,
  shop,
}) => {
  const link = await newLink(shop, { email: someone(), amount: 40_000 });
  await pay(link);
  await db.execute(
    sql`update payments set created_at = created_at - interval '31 days', succeeded_at = succeeded_at - interval '31 days' where business_id = ${shop.id} and payment_link_id = ${link._id}`,
  );
  await hand.click(room(page, "Balance"));
  await hand.click(button(page, /^Paid: /));
  await hand.click(page.getByRole("menuitemradio", { name: "Last month" }));
  const download = page.waitForEvent("download");
  await hand.click(page.getByRole("link", { name: "Export CSV" }));
  const rows = parse(await readFile(await (await download).path(), "utf8"), {
    columns: true,
    bom: true,
  }) as Record<string, string>[];
  await expect(rowsOf(page, "Payments")).toHaveCount(rows.length);
});

test("Find the payer of an amount on a bank statement", async ({ hand, page, shop }) => {
  const email = someone();
  const link = await newLink(shop, { email, amount: 98_765, title: "Bus" });
  await pay(link);
  await openPalette(hand);
  await hand.write("987.65");
  await hand.press("Enter");
  await expect(page.getByRole("main")).toContainText(email);
});

test("Stop a subscription for someone who telephones with only a phone number", async ({
  hand,
  page,
  shop,
}) => {
  const phone = `012-${newId().slice(-7)}`.replace(/[a-f]/g, "7");
  const subscription = await newSubscription(shop, { email: someone(), phone_no: phone });
  await openPalette(hand);
  await hand.write(phone);
  await hand.press("Enter");
  await hand.click(
    page.getByRole("region", { name: "Subscriptions" }).getByRole("link", { name: /Gold/ }),
  );
  await hand.click(button(page, "Cancel subscription…"));
  await hand.click(
    page.getByRole("alertdialog").getByRole("button", { name: "Cancel subscription" }),
  );
  await expect
    .poll(async () => (await subscriptionNow(shop, subscription._id)).status)
    .toBe("cancel");
});

test("Answer “I have paid, where is my receipt?”", async ({ hand, page, shop }) => {
  const email = someone();
  await pay(await newLink(shop, { email, title: "School lunch" }));
  await openPalette(hand);
  await hand.write(email);
  await hand.press("Enter");
  await hand.click(
    page.getByRole("region", { name: "Payments", exact: true }).getByRole("link").first(),
  );
  const download = page.waitForEvent("download");
  await hand.click(page.getByRole("link", { name: "Receipt (PDF)" }));
  expect(await pdfText(await readFile(await (await download).path()))).toContain("School lunch");
});

test("Ask one payer for money and copy the address into a message", async ({
  hand,
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await hand.press("c");
  await expect(heading(page, "New payment link")).toBeVisible();
  await hand.write("School photos");
  await hand.type(page.getByLabel("Amount"), "25");
  await hand.type(page.getByLabel("E-mail", { exact: true }), "ibu.siti@example.com");
  await hand.press("Control+Enter");
  const panel = page.getByRole("region", { name: /created/i });
  await hand.click(panel.getByRole("button", { name: /^Copy/ }).first());
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("/pay");
});

test("Give half of a payment back", async ({ hand, page, shop }) => {
  const email = someone();
  await pay(await newLink(shop, { email, amount: 5_000 }));
  await hand.click(room(page, "Payments"));
  await hand.type(page.getByRole("searchbox", { name: "Search payments" }), email);
  await hand.click(rowsOf(page, "Payments").first().getByRole("link").first());
  await hand.click(button(page, "Refund"));
  await hand.click(page.getByRole("dialog").getByRole("radio", { name: "A part of it" }));
  await hand.type(page.getByRole("dialog").getByRole("textbox", { name: "Amount" }), "25");
  await hand.press("Control+Enter");
  await expect(page.getByRole("list", { name: "Refunds" })).toContainText("MYR 25.00");
});

test("Correct the amount of a link that was sent", async ({ hand, page, shop }) => {
  const { _id, reference } = await newLink(shop, { reference: `R-${newId()}` });
  await openPalette(hand);
  await hand.write(reference ?? "");
  await hand.press("Enter");
  await hand.click(page.getByRole("link", { name: "Edit" }).first());
  const amount = page.getByLabel("Amount");
  await hand.click(amount);
  await hand.press("Control+a");
  await hand.write("15");
  await hand.press("Control+Enter");
  await expect.poll(async () => (await linkNow(shop, _id)).amount).toBe(1_500);
});

test("Note that a payer brought cash", async ({ hand, page, shop }) => {
  const { _id, reference } = await newLink(shop, { reference: `R-${newId()}` });
  await hand.click(room(page, links));
  await hand.type(page.getByRole("searchbox", { name: "Search payment links" }), reference ?? "");
  await expect(rowsOf(page, links)).toHaveCount(1);
  await hand.click(
    rowsOf(page, links)
      .first()
      .getByRole("button", { name: /^Actions for/ }),
  );
  await hand.click(page.getByRole("menuitem", { name: "Record a payment…" }));
  await hand.click(page.getByRole("dialog").getByRole("button", { name: "Record payment" }));
  await expect.poll(async () => (await linkNow(shop, _id)).status).toBe("Paid");
});

test("Give everybody of one trip a week more", async ({ hand, page, shop }) => {
  const trip = `Camp ${newId().slice(-6)}`;
  const made = await bulk(
    shop,
    Array.from({ length: 40 }, (_, one) => ({
      ...linkInput,
      title: trip,
      reference: `${trip}-${one}`,
      expires_at: "2031-01-24T12:00:00Z",
    })),
  );
  await hand.click(room(page, links));
  await hand.type(page.getByRole("searchbox", { name: "Search payment links" }), trip);
  await expect(page.getByText("1 to 15 of 40")).toBeVisible();
  await hand.click(page.getByRole("checkbox", { name: "Select all payment links on this page" }));
  await hand.click(bar(page).getByRole("button", { name: "Select all 40 that match" }));
  await hand.click(bar(page).getByRole("button", { name: "Extend" }));
  const dialog = page.getByRole("dialog", { name: "Extend 40 payment links" });
  // A dialog that opens takes the focus; a slow machine does so after the press.
  await expect(dialog.locator(":focus")).toHaveCount(1);
  await hand.click(dialog.getByLabel("Days"));
  const started = page.waitForResponse(
    (response) =>
      response.request().method() === "POST" && new URL(response.url()).pathname === "/api/batches",
  );
  await hand.press("Enter");
  const response = await started;
  expect(response.status()).toBe(200);
  await expect.soft(notice(page, "40 payment links extended")).toBeVisible();
  const { data: batch }: { data: Batch } = await response.json();
  expect(await shop.api.ok<Batch>("GET", `/batches/${batch._id}`)).toMatchObject({
    changed: 40,
    skipped: 0,
  });
  expect((await linkNow(shop, made[39]?._id ?? "")).expires_at).toMatch(/^2031-01-31/);
});

test("See who has not opened the mail of a trip", async ({ hand, page, shop }) => {
  const trip = `Zoo ${newId().slice(-6)}`;
  const [opened] = await bulk(
    shop,
    [1, 2, 3].map((one) => ({ ...linkInput, title: trip, reference: `${trip}-${one}` })),
  );
  await fetch(opened?.payment_url ?? "");
  // Openings are written every two seconds.
  await expect
    .poll(async () => {
      const query = `opened=true&reference=${encodeURIComponent(opened?.reference ?? "")}`;
      return (await shop.api.ok<{ data: unknown[] }>("GET", `/payment-links?${query}`)).data.length;
    })
    .toBe(1);
  await hand.click(room(page, links));
  await hand.type(page.getByRole("searchbox", { name: "Search payment links" }), trip);
  await hand.click(button(page, "More filters"));
  await hand.pick(page.getByRole("dialog").getByLabel("Opened"), "No");
  await hand.click(page.getByRole("dialog").getByRole("button", { name: "Show results" }));
  await expect(rowsOf(page, links)).toHaveCount(2);
});

test("Give a payer's new address to a link", async ({ hand, page, shop }) => {
  const [old, next] = [someone(), someone()];
  const { _id } = await newLink(shop, { email: old });
  await openPalette(hand);
  await hand.write(old);
  await hand.press("Enter");
  await hand.click(page.getByRole("link", { name: "Edit" }).first());
  await hand.click(page.getByLabel("E-mail", { exact: true }));
  await hand.press("Control+a");
  await hand.write(next);
  await hand.press("Control+Enter");
  await expect.poll(async () => (await linkNow(shop, _id)).email).toBe(next);
});
