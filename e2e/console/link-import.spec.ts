import { readFile } from "node:fs/promises";
import { readCsv } from "@/lib/client/csv";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkInput, newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

const csv = (lines: string[]) => ({
  name: "invoices.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\r\n")),
});
const head = "email,title,currency,amount_decimal,reference,send_email";

test("a CSV is checked row by row before anything is made, then made, with the addresses to take along", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page
    .getByLabel("CSV file")
    .setInputFiles(
      csv([
        head,
        "ana@example.com,Invoice 1,MYR,12.50,INV-1,false",
        "not an address,Invoice 2,MYR,12.505,INV-2,false",
        '"bo@example.com","Invoice ""3""",KWD,1.250,INV-3,false',
      ]),
    );
  await expect(
    page.getByRole("heading", { name: "2 rows ready, 1 row with mistakes" }),
  ).toBeVisible();
  const rows = page.getByRole("list", { name: "Rows of the file" }).locator("> li");
  await expect(rows.nth(1)).toContainText("E-mail: The email must be a valid email address.");
  await expect(rows.nth(1)).toContainText("Amount: The amount may have at most 2 decimals.");
  await expect(rows.nth(2)).toContainText("KWD 1.250");
  expect((await shop.api.ok<{ data: PaymentLink[] }>("GET", "/payment-links")).data).toEqual([]);
  await audit(page);
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  await expect(
    page.getByRole("heading", { name: "2 payment links created, 1 row with mistakes" }),
  ).toBeVisible();
  const made = (await shop.api.ok<{ data: PaymentLink[] }>("GET", "/payment-links")).data;
  expect(made.map(({ title, amount }) => [title, amount]).sort()).toEqual(
    [
      ["Invoice 1", 1250],
      ['Invoice "3"', 1250],
    ].sort(),
  );
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download result CSV" }).click(),
  ]);
  const [columns, ...results] = readCsv(await readFile(await download.path(), "utf8"));
  const urls = results.map((cells) => cells[columns?.indexOf("payment_url") ?? -1]);
  expect(urls).toEqual([
    made.find(({ reference }) => reference === "INV-1")?.payment_url,
    "",
    made.find(({ reference }) => reference === "INV-3")?.payment_url,
  ]);
  await page.getByRole("link", { name: 'Invoice "3"' }).click();
  await expect(page.getByRole("heading", { level: 1, name: 'Invoice "3"' })).toBeVisible();
});

test("the same file sent again makes nothing twice", async ({ page, shop, at }) => {
  await newLink(shop, { ...linkInput, reference: "INV-1" });
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page
    .getByLabel("CSV file")
    .setInputFiles(csv([head, "ana@example.com,Invoice 1,MYR,12.50,INV-1,false"]));
  await expect(
    page.getByRole("heading", { name: "0 rows ready, 1 existed already" }),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: /^Create/ })).toHaveCount(0);
});

test("a file that cannot be right is refused with what it lacks", async ({ page, at }) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page.getByLabel("CSV file").setInputFiles(csv(["email,name", "ana@example.com,x"]));
  await expect(
    page
      .getByRole("alert")
      .filter({ hasText: "The header row lacks title, currency, amount_decimal." }),
  ).toBeVisible();
  await page.getByLabel("CSV file").setInputFiles(csv([head]));
  await expect(
    page.getByRole("alert").filter({ hasText: "The file has no rows below its header." }),
  ).toBeVisible();
});
