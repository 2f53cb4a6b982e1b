import { readFile } from "node:fs/promises";
import type { Page, Route } from "@playwright/test";
import { parse } from "csv-parse/sync";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkInput, newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, gate, rowsOf } from "./screen";

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
  await expect(rows.nth(1)).toContainText("E-mail must be a valid e-mail address.");
  await expect(rows.nth(1)).toContainText("The amount may have at most 2 decimals.");
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
  const [columns, ...results] = parse(await readFile(await download.path(), "utf8"));
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
  await newLink(shop, { ...linkInput, email: "ANA@example.com", reference: "INV-1" });
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page
    .getByLabel("CSV file")
    .setInputFiles(csv([head, "ana@example.com,Invoice 1,MYR,12.50,INV-1,false"]));
  await expect(
    page.getByRole("heading", { name: "0 rows ready, 1 existed already" }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: linkInput.title })).toBeVisible();
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

const links = async (shop: Shop) =>
  (await shop.api.ok<{ data: PaymentLink[] }>("GET", "/payment-links")).data;
const summary = (page: Page) => page.getByRole("region", { name: "What this import does" });

test("a reference that is taken by other content is a conflict: named, and skipped or created row by row", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const before = await newLink(shop, { title: "First instalment", reference: "ORDER-7" });
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page
    .getByLabel("CSV file")
    .setInputFiles(
      csv([
        head,
        "fay@example.com,Second instalment,USD,20.00,ORDER-7,true",
        "bo@example.com,Order 8,MYR,10.00,ORDER-8,false",
        "bo@example.com,Order 8 rest,MYR,15.00,ORDER-8,true",
      ]),
    );
  await expect(page.getByRole("heading", { name: "1 row ready, 2 conflicts" })).toBeVisible();
  const rows = page.getByRole("list", { name: "Rows of the file" }).locator("> li");
  await expect(rows.nth(0)).toContainText("Second instalment");
  await expect(rows.nth(0)).toContainText(
    "Its reference is taken by First instalment of nur.payer@example.com, MYR 12.50.",
  );
  await expect(rows.nth(0).getByRole("link", { name: "First instalment" })).toHaveAttribute(
    "href",
    new RegExp(`/payment-links/${before._id}$`),
  );
  await expect(rows.nth(2)).toContainText("Its reference is taken by row 2");
  await expect(summary(page)).toContainText("1 payment link to create: MYR 10.00");
  await expect(summary(page)).toContainText("No e-mail goes out.");
  await audit(page);
  await page.getByRole("button", { name: "Create all anyway" }).click();
  await expect(page.getByRole("heading", { name: "3 rows ready" })).toBeVisible();
  await expect(summary(page)).toContainText("3 payment links to create: USD 20.00 + MYR 25.00");
  await expect(summary(page)).toContainText("2 e-mails to payers.");
  await rows.nth(0).getByRole("checkbox", { name: "Create row 1 anyway" }).uncheck();
  await expect(page.getByRole("heading", { name: "2 rows ready, 1 conflict" })).toBeVisible();
  await expect(summary(page)).toContainText("2 payment links to create: MYR 25.00");
  await expect(summary(page)).toContainText("1 e-mail to payers.");
  await audit(page);
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  await expect(
    page.getByRole("heading", { name: "2 payment links created, 1 conflict" }),
  ).toBeVisible();
  await expect(rows.nth(0)).toContainText("Conflict");
  await summary(page).getByRole("link", { name: "See the payment links" }).click();
  await expect(page.getByRole("button", { name: "Remove filter One import" })).toBeVisible();
  await expect(rowsOf(page, "Payment links")).toHaveCount(2);
  await page.getByRole("button", { name: "Remove filter One import" }).click();
  await expect(rowsOf(page, "Payment links")).toHaveCount(3);
});

test("the button of a long file is in view, and shows how many rows are created", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  const { open, opened } = gate();
  const many = Array.from({ length: 400 }, (_, n) => `p${n}@example.com,Row ${n},MYR,12.50,,false`);
  await page.getByLabel("CSV file").setInputFiles(csv([head, ...many]));
  const button = page.getByRole("button", { name: "Create 400 payment links" });
  await expect(button).toBeInViewport();
  await page.route("**/api/payment-links/bulk", async (route) => {
    const response = await route.fetch();
    await opened;
    await route.fulfill({ response });
  });
  await button.click();
  await expect(
    page.getByRole("progressbar", { name: "Creating 400 payment links" }),
  ).toBeInViewport();
  await expect(summary(page)).toContainText("400 of 400.");
  open();
  await expect(page.getByRole("heading", { name: "400 payment links created" })).toBeVisible();
  expect(await links(shop)).toHaveLength(15);
});

test("an import whose answer is lost is made once, without a reload and through one", async ({
  page,
  shop,
  at,
}) => {
  const twoRows = csv([
    head,
    "ana@example.com,Without reference,MYR,12.50,,false",
    "bo@example.com,Without reference,MYR,12.50,,false",
  ]);
  const cutAfter = async (route: Route) => {
    await route.fetch();
    await route.abort("connectionreset");
  };
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page.getByLabel("CSV file").setInputFiles(twoRows);
  const button = page.getByRole("button", { name: "Create 2 payment links" });
  await button.click({ trial: true });
  await page.route("**/api/payment-links/bulk", cutAfter, { times: 1 });
  await button.click();
  await expect(page.getByRole("heading", { name: "2 payment links created" })).toBeVisible();
  expect(await links(shop)).toHaveLength(2);

  await page.getByRole("button", { name: "Choose another file" }).click();
  await page.getByLabel("CSV file").setInputFiles(twoRows);
  await button.click({ trial: true });
  await page.route("**/api/payment-links/bulk", cutAfter, { times: 1 });
  await page.route("**/api/requests/settle", (route) => route.abort("internetdisconnected"));
  await button.click();
  const lost = page.getByRole("status", { name: "A request without a response" });
  await expect(lost).toContainText("The import of invoices.csv (2 payment links)");
  await expect(lost).toContainText("the outcome is unknown");
  await page.unrouteAll();
  await page.reload();
  await expect(lost).toContainText("Here’s what happened");
  await lost.getByRole("link", { name: "See its links" }).click();
  await expect(rowsOf(page, "Payment links")).toHaveCount(2);
  expect(await links(shop)).toHaveLength(4);
});
