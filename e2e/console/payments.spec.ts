import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { withTransaction } from "@/db/client";
import { parse } from "csv-parse/sync";
import { absoluteTime, utcTime } from "@/lib/client/times";
import { paymentColumns } from "@/lib/domain/payments/columns";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { changeLink } from "@/lib/domain/payment-links/rows";
import { exportHeader } from "@/lib/kernel/local-columns";
import { pdfLines, pdfText } from "../pdf-text";
import { newLink } from "../shop";
import { expect, signIn, test } from "./fixtures";
import { pay } from "./payer";
import { arrive, choose, notice, rowOf, rowsOf } from "./screen";

const zone = "Asia/Kuala_Lumpur";
test.use({ timezoneId: zone });

/** Marks the document, so that a reload would be seen. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { kept: true }));
const kept = (page: Page) =>
  page.evaluate(() => (window as unknown as { kept?: boolean }).kept === true);

test("a payment appears and its link turns paid without reloading, whichever page is looked at", async ({
  page,
  shop,
  at,
}) => {
  const [first, second, third] = [
    await newLink(shop, { title: "First" }),
    await newLink(shop, { title: "Second" }),
    await newLink(shop, { title: "Third" }),
  ];
  const live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at("/payment-links"), "Payment links");
  await live;
  await mark(page);
  await pay(first);
  await expect(rowOf(page, "Payment links", "First").getByText("Paid")).toBeVisible();

  await rowOf(page, "Payment links", "Second").getByRole("link", { name: "Second" }).click();
  await expect(page.getByText("No payment attempts yet.")).toBeVisible();
  await pay(second, "decline");
  await expect(page.getByRole("list", { name: "Payments" }).getByText("Failed")).toBeVisible();
  await pay(second);
  await expect(page.getByRole("list", { name: "Payments" }).getByText("Succeeded")).toBeVisible();
  await expect(
    page.getByRole("list", { name: "Timeline" }).getByText("Paid", { exact: true }),
  ).toBeVisible();
  expect(await kept(page)).toBe(true);

  await arrive(page, at("/payments"), "Payments");
  await expect(rowsOf(page, "Payments")).toHaveCount(3);
  await mark(page);
  await pay(third);
  await expect(rowsOf(page, "Payments")).toHaveCount(4);
  expect(await kept(page)).toBe(true);
});

test("a dialog stays with what was written when the list behind it is refused, and saves after signing in again", async ({
  page,
  context,
  install,
  staff,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Cash at the door" });
  const live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at("/payment-links"), "Payment links");
  await live;
  await choose(page, rowOf(page, "Payment links", link.title), "Record a payment…");
  await expect(page.getByRole("dialog")).toContainText(
    "The link becomes paid. This install has no mail server.",
  );
  await expect(page.getByRole("dialog")).toContainText(`of ${link.email}, ${link.reference} that`);
  const form = page.getByRole("form", { name: "Record a payment" });
  await form.getByLabel("Note").fill("Counted twice");
  await context.clearCookies();
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await shop.api.ok("POST", `/payment-links/${link._id}/cancel`);
  await shop.api.ok("POST", `/payment-links/${link._id}/reopen`);
  await refused;
  await form.getByRole("button", { name: "Record payment" }).click();
  await expect(form.getByRole("alert")).toHaveText(
    "You were signed out. Sign in in another tab, then save again.",
  );
  await expect(form.getByLabel("Note")).toHaveValue("Counted twice");
  await signIn(context, staff, install);
  await form.getByRole("button", { name: "Record payment" }).click();
  await expect(notice(page, "MYR 12.50 recorded")).toBeVisible();
});

test("the timeline says what happened and through whom, in the viewer's zone with UTC at hand", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { send_email: true });
  await pay(link);
  const told = () => shop.api.ok<TimelineEntry[]>("GET", `/payment-links/${link._id}/timeline`);
  // That a page was opened is written down a moment later.
  await expect.poll(async () => (await told()).map(({ kind }) => kind)).toContain("opened");
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  const timeline = page.getByRole("list", { name: "Timeline" });
  for (const [title, actor] of [
    ["Created", "API key browser test"],
    ["Opened by the payer", ""],
    ["E-mail", ""],
    ["Payment succeeded", ""],
    ["Paid", ""],
  ] as const) {
    await expect(
      timeline.getByRole("listitem").filter({ hasText: title }).filter({ hasText: actor }).first(),
    ).toBeVisible();
  }
  const entries = await told();
  const created = entries.find(({ kind }) => kind === "payment_link.created");
  if (!created) throw new Error("the timeline has no beginning");
  const time = timeline.getByRole("listitem").filter({ hasText: "Created" }).getByRole("time");
  await expect(time).toHaveText(absoluteTime(created.at, zone));
  await expect(time).toHaveAttribute("title", utcTime(created.at));
  await audit(page);
});

test("a payment says why it failed, what it belongs to, and is found by its reference", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { reference: "REF-55", currency: "KWD", amount: 12_345 });
  await pay(link, "decline");
  await pay(await newLink(shop, { reference: "REF-56" }));
  await arrive(page, at("/payments"), "Payments");
  await page.getByRole("searchbox", { name: "Search payments" }).fill("REF-55");
  await expect(rowsOf(page, "Payments")).toHaveCount(1);
  await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
  await expect(page).toHaveURL(/status=failed/);
  const row = rowOf(page, "Payments", "REF-55");
  await expect(row).toContainText("KWD 12.345");
  await row.getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1, name: "KWD 12.345" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Why it failed" })).toContainText(
    "The card was declined.",
  );
  await expect(page.getByRole("link", { name: "Receipt (PDF)" })).toHaveCount(0);
  await page.getByText("JSON", { exact: false }).first().click();
  await expect(page.getByRole("region", { name: "JSON of this record" })).toContainText(
    '"status": "failed"',
  );
  await page.getByRole("link", { name: link.title }).click();
  await expect(page.getByRole("heading", { level: 1, name: link.title })).toBeVisible();
});

test("a payment says who paid and for what, and is found by the payer's address", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await pay(
    await newLink(shop, { email: "ana@example.com", title: "School trip", amount: 10_000 }),
  );
  await pay(await newLink(shop, { email: "ben@example.com", title: "Piano lesson" }));
  await arrive(page, at("/payments"), "Payments");
  await page.getByRole("searchbox", { name: "Search payments" }).fill("ana@example.com");
  await expect(rowsOf(page, "Payments")).toHaveCount(1);
  const row = rowOf(page, "Payments", "School trip");
  await expect(row).toContainText("ana@example.com");
  await page.setViewportSize({ width: 1_280, height: 800 });
  await expect(row.getByText("100.00")).toBeInViewport({ ratio: 1 });
  await audit(page);
  await row.getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1, name: "MYR 100.00" })).toBeVisible();
  await expect(page.getByText("School trip, ana@example.com")).toBeVisible();
  const details = page.getByRole("region", { name: "Details" });
  for (const text of ["ana@example.com", "Fee", "MYR 2.00", "Net", "MYR 98.00"])
    await expect(details).toContainText(text);
  await expect(page.getByRole("list", { name: "Timeline" })).toContainText("The payer went to pay");
  await expect(page.getByRole("list", { name: "Mails" })).toContainText("ana@example.com");
  await audit(page);
});

test("money that arrives for a link cancelled meanwhile is marked, and what to do is said", async ({
  page,
  context,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  const payer = await context.newPage();
  await payer.goto(link.payment_url);
  await payer.getByRole("button", { name: /^Pay / }).click();
  await expect(payer.getByRole("button", { name: "Approve", exact: true })).toBeVisible();
  await withTransaction((tx) => changeLink(shop.ctx, tx, link._id, { status: "Cancelled" }));
  await payer.getByRole("button", { name: "Approve", exact: true }).click();
  await arrive(page, at("/payments"), "Payments");
  const row = rowsOf(page, "Payments").first();
  await expect(row).toContainText("Paid late");
  await row.getByRole("link").first().click();
  await expect(page.getByRole("region", { name: "Paid late" })).toContainText(
    "Fulfil the order or refund it.",
  );
  await audit(page);
});

test("a payment keeps its timeline when its link is deleted, and does not lead to the deleted link", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  await pay(link, "decline");
  await shop.api.ok("DELETE", `/payment-links/${link._id}`);
  await arrive(page, at("/payments"), "Payments");
  await rowsOf(page, "Payments").first().getByRole("link").first().click();
  const timeline = page.getByRole("list", { name: "Timeline" });
  await expect(timeline).toContainText("Payment link deleted");
  await expect(timeline).toContainText("Payment failed");
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText(`${link.title} (deleted)`);
  await expect(details.getByRole("link", { name: link.title })).toHaveCount(0);
  await audit(page);
});

test("the receipt is a PDF with amount and reference", async ({ page, shop, at }) => {
  await pay(await newLink(shop, { reference: "REF-77", amount: 123_450 }));
  await arrive(page, at("/payments"), "Payments");
  await rowOf(page, "Payments", "REF-77").getByRole("link").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Receipt (PDF)" }).click(),
  ]);
  const pdf = await readFile(await download.path());
  expect(pdf.subarray(0, 4).toString()).toBe("%PDF");
  for (const text of ["MYR 1,234.50", "REF-77"]) expect(pdfText(pdf)).toContain(text);
});

test("a receipt draws a title in every script", async ({ page, shop, at }) => {
  const title = "Чек Ευχή 学费 領収書 영수증 دفع קבלה ใบเสร็จ பள்ளி हिन्दी";
  await pay(await newLink(shop, { reference: "REF-78", title }));
  await arrive(page, at("/payments"), "Payments");
  await rowOf(page, "Payments", "REF-78").getByRole("link").first().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Receipt (PDF)" }).click(),
  ]);
  const lines = pdfLines(await readFile(await download.path()));
  expect(lines.map(({ text }) => text).join("")).toContain(title);
  for (const { glyphs } of lines) expect(glyphs).not.toMatch(/[\0□]/);
});

test("payments are exported as they are filtered", async ({ page, shop, at }) => {
  await pay(await newLink(shop, { reference: "REF-1" }));
  await pay(await newLink(shop, { reference: "REF-2" }), "decline");
  await arrive(page, `${at("/payments")}?status=succeeded`, "Payments");
  await expect(rowsOf(page, "Payments")).toHaveCount(1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const [head, ...rows] = parse(await readFile(await download.path()), { bom: true });
  expect(head).toEqual(exportHeader(paymentColumns, "UTC"));
  expect(rows.map((cells) => cells[paymentColumns.indexOf("reference")])).toEqual(["REF-1"]);
});

test("a business without payments sees where they will appear", async ({ page, at, audit }) => {
  await arrive(page, at("/payments"), "Payments");
  await expect(page.getByRole("heading", { name: "No payment yet" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Create payment link" })).toBeVisible();
  await audit(page);
});
