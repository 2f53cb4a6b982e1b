import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import type { Statement } from "@/lib/contract/statements";
import { expectFitsPhone } from "../accessibility";
import { pdfText } from "../pdf-text";
import { newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { arrive, rowsOf } from "./screen";

const month = () => new Date().toISOString().slice(0, 7);
const statementOf = (shop: Shop) => shop.api.ok<Statement>("GET", `/statements/${month()}`);

async function savedFile(page: Page, name: string) {
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test("a month's statement shows sums and lines, and gives the same as PDF and CSV", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await pay(await newLink(shop, { title: "学费 இரசீது", amount: 12_550 }));
  const paid = await shop.api.ok<{ data: { _id: string }[] }>("GET", "/payments");
  await shop.api.ok("POST", `/payments/${paid.data[0]?._id}/refunds`, { amount: 500 });
  await arrive(page, at("/balance"), "Balance");
  await page.getByRole("link", { name: "Monthly statement" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /^Statement / })).toBeVisible();
  const { currencies, lines } = await statementOf(shop);
  expect(currencies).toMatchObject([
    { currency: "MYR", gross: 12_550, refunds: 500, fees: 251, net: 11_799 },
  ]);
  const sums = page.getByRole("region", { name: "Statement in MYR" });
  await expect(sums).toContainText("125.50");
  await expect(sums).toContainText("Net of the month");
  await expect(sums).toContainText("117.99");
  await expect(rowsOf(page, "Statement lines")).toHaveCount(lines);
  await expect(page.getByText("学费 இரசீது").first()).toBeVisible();
  await audit(page);

  const pdf = await savedFile(page, "PDF");
  expect(pdf.name).toBe(`statement-${month()}.pdf`);
  for (const text of ["学费 இரசீது", "MYR 125.50", shop.name])
    expect(pdfText(pdf.bytes).replaceAll("\n", "")).toContain(text);
  const csv = await savedFile(page, "Export CSV");
  const rows = parse<Record<string, string>>(csv.bytes, { columns: true, bom: true });
  expect(rows).toHaveLength(lines);
  // The same sums as the page has, in minor units.
  const minor = (amount = "0") => Math.round(Number(amount) * 100);
  const sum = (of: string, less = "") =>
    rows.reduce((all, row) => all + minor(row[of]) - minor(row[less]), 0);
  expect({
    gross: sum("gross"),
    refunds: sum("refunds", "refunds_returned"),
    fees: sum("fees", "fees_returned"),
    net: sum("net_in", "net_out"),
  }).toEqual({ gross: 12_550, refunds: 500, fees: 251, net: 11_799 });

  await page.setViewportSize({ width: 360, height: 740 });
  await expectFitsPhone(page);
});

test("a statement says which payments came past the gateway, on the page and in both files", async ({
  page,
  shop,
  at,
}) => {
  await pay(await newLink(shop, { title: "By card" }));
  for (const [title, method] of [
    ["In cash", "cash"],
    ["At the bank", "bank_transfer"],
    ["By cheque", "other"],
  ]) {
    const link = await newLink(shop, { title });
    await shop.api.ok("POST", `/payment-links/${link._id}/payments`, { method });
  }
  await page.goto(at("/balance/statement"));
  const lines = rowsOf(page, "Statement lines");
  await expect(lines).toHaveCount(4);
  await expect(lines.filter({ hasText: "In cash" })).toContainText("Cash, by hand");
  await expect(lines.filter({ hasText: "At the bank" })).toContainText("Bank transfer, by hand");
  await expect(lines.filter({ hasText: "By cheque" })).toContainText("Another way, by hand");
  await expect(lines.filter({ hasText: "By card" })).not.toContainText("by hand");
  await expect(page.getByRole("region", { name: "Statement in MYR" })).toContainText(
    /Of the net, MYR 37\.50 was recorded by hand\./,
  );
  const csv = await savedFile(page, "Export CSV");
  const methods = parse<Record<string, string>>(csv.bytes, { columns: true, bom: true }).map(
    (row) => [row.title, row.method],
  );
  expect(methods).toEqual([
    ["By card", ""],
    ["In cash", "cash"],
    ["At the bank", "bank_transfer"],
    ["By cheque", "other"],
  ]);
  const text = pdfText((await savedFile(page, "PDF")).bytes).replace(/\s/g, "");
  for (const name of [
    "Cash,byhand",
    "Banktransfer,byhand",
    "Anotherway,byhand",
    "MYR37.50wasrecordedbyhand",
  ])
    expect(text).toContain(name);
});

test("the month is chosen, stands in the address, and an empty one says so", async ({
  page,
  at,
}) => {
  await arrive(page, at("/balance/statement?month=2024-02"), "Statement February 2024");
  await expect(page.getByText("Nothing was booked in this month")).toBeVisible();
  await page.getByRole("button", { name: "Previous month" }).click();
  await expect(page).toHaveURL(/month=2024-01/);
  await expect(page.getByRole("heading", { name: "Statement January 2024" })).toBeVisible();
  await page.getByRole("combobox", { name: "Month" }).selectOption(month());
  await expect(page).toHaveURL(new RegExp(`month=${month()}`));
  await expect(page.getByRole("button", { name: "Next month" })).toBeDisabled();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Statement January 2024" })).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
  await expect(page.getByRole("status").filter({ hasText: "Test mode." })).toBeVisible();
});
