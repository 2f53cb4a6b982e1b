import { readFile } from "node:fs/promises";
import type { Page, Route } from "@playwright/test";
import { parse } from "csv-parse/sync";
import writeExcelFile from "write-excel-file/node";
import { dayIn } from "@/lib/client/ranges";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { sheetOf } from "../../tests/spreadsheets";
import { linkInput, newLink, type Shop } from "../shop";
import { chooseCsv, csv } from "./csv";
import { expect, test } from "./fixtures";
import { arrive, gate, rowsOf } from "./screen";

const head = "email,title,currency,amount_decimal,reference,send_email";

test("a CSV is checked row by row before anything is made, then made, with the addresses to take along", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await chooseCsv(page, at, [
    head,
    "ana@example.com,Invoice 1,MYR,12.50,INV-1,false",
    "not an address,Invoice 2,MYR,12.505,INV-2,false",
    '"bo@example.com","Invoice ""3""",KWD,1.250,INV-3,false',
  ]);
  await expect(
    page.getByRole("heading", { name: "2 rows ready, 1 row with mistakes" }),
  ).toBeVisible();
  const rows = page.getByRole("list", { name: "Rows of the file" }).locator("> li");
  await expect(rows.nth(1)).toContainText("Row 3");
  await expect(page.getByText("Rows have the numbers of your spreadsheet.")).toBeVisible();
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
  const saved = await readFile(await download.path());
  expect(saved.toString().slice(0, 1)).toBe("\ufeff");
  const [columns, ...results] = parse(saved, { bom: true });
  const urls = results.map((cells) => cells[columns?.indexOf("payment_url") ?? -1]);
  expect(urls).toEqual([
    made.find(({ reference }) => reference === "INV-1")?.payment_url,
    "",
    made.find(({ reference }) => reference === "INV-3")?.payment_url,
  ]);
  await page.getByRole("link", { name: 'Invoice "3"' }).click();
  await expect(page.getByRole("heading", { level: 1, name: 'Invoice "3"' })).toBeVisible();
});

test("the mails of a long import can be stopped from where its result is shown", async ({
  page,
  at,
}) => {
  const rows = Array.from(
    { length: 40 },
    (_, at) => `stop${at}@example.com,Trip,MYR,12.50,STOP-${at},true`,
  );
  await chooseCsv(page, at, [head, ...rows]);
  await page.getByRole("button", { name: "Create 40 payment links" }).click();
  const stop = page.getByRole("button", { name: "Stop" });
  await expect(stop).toBeInViewport({ ratio: 1 });
  await stop.click();
  await expect(stop).toHaveCount(0);
  await expect(page.getByRole("region", { name: "What this import does" })).toContainText(
    "E-mails stopped: 0 payment links queued for mailing, 40 not reached.",
  );
});

test("the same file sent again makes nothing twice", async ({ page, shop, at }) => {
  await newLink(shop, { ...linkInput, email: "ANA@example.com", reference: "INV-1" });
  await chooseCsv(page, at, [head, `ana@example.com,${linkInput.title},MYR,12.50,INV-1,false`]);
  await expect(
    page.getByRole("heading", { name: "0 rows ready, 1 already existed" }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: linkInput.title })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Create/ })).toHaveCount(0);
});

test("a second trip for the same pupils is not left out silently: staff choose it, and it is created once", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await newLink(shop, { ...linkInput, title: "Zoo", email: "ana@example.com", reference: "S1" });
  const museum = [head, "ana@example.com,Museum,MYR,12.50,S1,false"];
  await chooseCsv(page, at, [...museum, "bo@example.com,Museum,MYR,12.50,S2,false"]);
  await expect(page.getByRole("heading", { name: "1 row ready, 1 conflict" })).toBeVisible();
  const rows = page.getByRole("list", { name: "Rows of the file" }).locator("> li");
  await expect(rows.first()).toContainText(
    "This payer has a payment link of the same reference and amount: Zoo, with another title.",
  );
  await expect(summary(page)).toContainText("1 row left out, because the reference is taken.");
  await audit(page);
  await page.getByRole("button", { name: "Create them anyway" }).click();
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  await expect(page.getByRole("heading", { name: "2 payment links created" })).toBeVisible();
  await chooseCsv(page, at, museum);
  await expect(
    page.getByRole("heading", { name: "0 rows ready, 1 already existed" }),
  ).toBeVisible();
});

test("all that a file lacks is named at once, and a file without rows is refused", async ({
  page,
  at,
}) => {
  await chooseCsv(page, at, ["email,name", "ana@example.com,x"]);
  await page.getByRole("button", { name: "Check the rows" }).click();
  await expect(
    page.getByRole("alert").filter({
      hasText: "Choose a column for Title, Currency and Amount, or write one value for every row.",
    }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Choose another file" }).click();
  await page.getByLabel("Spreadsheet").setInputFiles(csv([head]));
  await expect(
    page.getByRole("alert").filter({ hasText: "The file has no rows below its header." }),
  ).toBeVisible();
});

const xlsx = (name: string, buffer: Buffer) => ({
  name,
  mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  buffer,
});
const camp = async (rows: (string | number | Date)[][]) =>
  writeExcelFile([
    { sheet: "Nota", data: [] },
    {
      sheet: "Perkhemahan",
      data: [
        ["Yuran perkhemahan"],
        ["Murid", "Emel ibu bapa", "Jumlah", "Perkara", "Telefon", "Tamat"],
        ...rows,
      ].map((cells) =>
        cells.map((cell) =>
          cell instanceof Date ? { value: cell, type: Date, format: "dd/mm/yyyy" } : cell,
        ),
      ),
    },
  ]).toBuffer();

test("an .xlsx file with names of its own is matched by hand once, and never again", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  const choose = (name: string, buffer: Buffer) =>
    page.getByLabel("Spreadsheet").setInputFiles(xlsx(name, buffer));
  const day = new Date("2027-01-31T00:00:00Z");
  await choose(
    "november.xlsx",
    await camp([
      ["Ana", "ana@example.com", 125.5, "Perkhemahan: Ana", 60123456789, day],
      ["Bo", "bo@example.com", 1250, "Perkhemahan: Bo", "0123456789", day],
    ]),
  );
  await expect(page.getByRole("heading", { name: "Which column is what?" })).toBeVisible();
  await expect(page.getByLabel("Sheet", { exact: true })).toHaveValue("Perkhemahan");
  await expect(page.getByLabel("Column names")).toHaveValue("1");
  await expect(page.getByLabel("Emel ibu bapa")).toHaveValue("email");
  await expect(page.getByLabel("Jumlah")).toHaveValue("amount_decimal");
  await expect(page.getByRole("list", { name: "Columns of the file" })).toContainText(
    "125.5 → 125.50 · 1250 → 1250.00",
  );
  await page.getByLabel("Perkara").selectOption("Title");
  await page.getByLabel("Telefon").selectOption("Phone number");
  await page.getByLabel("Tamat").selectOption("Expiry");
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0);
    await audit(page);
  }
  await page.getByRole("button", { name: "Check the rows" }).click();
  await expect(
    page.getByRole("alert").filter({ hasText: "Choose a column for Currency, or write one" }),
  ).toBeVisible();
  await page.getByLabel("Currency").fill("myr");
  await page.getByLabel("Send the link by e-mail").selectOption("No");
  await page.getByRole("button", { name: "Check the rows" }).click();
  await expect(page.getByRole("heading", { name: "2 rows ready" })).toBeVisible();
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  await expect(page.getByRole("heading", { name: "2 payment links created" })).toBeVisible();
  const made = await links(shop);
  expect(
    made.map(({ email, amount, currency, title, phone_no }) => [
      email,
      amount,
      currency,
      title,
      phone_no,
    ]),
  ).toEqual([
    ["bo@example.com", 125000, "MYR", "Perkhemahan: Bo", "0123456789"],
    ["ana@example.com", 12550, "MYR", "Perkhemahan: Ana", "60123456789"],
  ]);
  const me = (await (await page.request.get("/api/me")).json()) as {
    data: { businesses: { time_zone: string }[] };
  };
  const { time_zone = "" } = me.data.businesses[0] ?? {};
  expect(dayIn(time_zone, new Date(made[0]?.expires_at ?? ""))).toBe("2027-01-31");

  await page.reload();
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await choose("december.xlsx", await camp([["Cy", "cy@example.com", 99.9, "Baju", "1", day]]));
  await expect(page.getByRole("heading", { name: "1 row ready" })).toBeVisible();
  await expect(page.getByText("december.xlsx · Sheet “Perkhemahan”")).toBeVisible();
  await expect(summary(page)).toContainText("1 payment link to create: MYR 99.90");
  await audit(page);
  await page.getByRole("button", { name: "Change columns" }).click();
  await expect(page.getByLabel("Perkara")).toHaveValue("title");
  await page.getByLabel("Sheet", { exact: true }).selectOption("Nota");
  await expect(page.getByRole("alert").filter({ hasText: "The file has no rows" })).toBeVisible();
});

test("a mistake is in the row that the spreadsheet shows, and an amount in RM needs no currency", async ({
  page,
  at,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  const rows = "Trip to the zoo||Email,Title,Total (RM)|ana@example.com,Zoo,45||nobody,Zoo,45";
  const sheet = sheetOf(rows.split("|").map((row) => row.split(",")));
  await page.getByLabel("Spreadsheet").setInputFiles(xlsx("trip.xlsx", sheet));
  await expect(
    page.getByRole("heading", { name: "1 row ready, 1 row with mistakes" }),
  ).toBeVisible();
  await expect(summary(page)).toContainText("1 payment link to create: MYR 45.00");
  const wrong = page.getByRole("listitem").filter({ hasText: "E-mail must be" }).first();
  await expect(wrong).toContainText("Row 6");
});

test("a workbook that cannot be read is refused in a sentence, and the next one is read", async ({
  page,
  at,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  const file = page.getByLabel("Spreadsheet");
  const alert = page.getByRole("alert").filter({ hasText: "The file" });
  await file.setInputFiles(
    xlsx("old.xlsx", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(512)])),
  );
  await expect(alert).toContainText("The file is an old spreadsheet (.xls).");
  await file.setInputFiles(xlsx("cut.xlsx", sheetOf([head.split(","), ["x"]]).subarray(0, 900)));
  await expect(alert).toContainText("The file is damaged");
  await file.setInputFiles(
    xlsx(
      "good.xlsx",
      sheetOf([head.split(","), ["ana@example.com", "Invoice 1", "MYR", "12.50", "007", "false"]]),
    ),
  );
  await expect(page.getByRole("heading", { name: "1 row ready" })).toBeVisible();
  await expect(alert).toHaveCount(0);
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
  await chooseCsv(page, at, [
    head,
    "fay@example.com,Second instalment,USD,20.00,ORDER-7,true",
    "bo@example.com,Order 8,MYR,10.00,ORDER-8,false",
    "bo@example.com,Order 8 rest,MYR,15.00,ORDER-8,true",
  ]);
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
  await expect(rows.nth(2)).toContainText("Its reference is taken by row 3");
  await expect(summary(page)).toContainText("1 payment link to create: MYR 10.00");
  await expect(summary(page)).toContainText("No e-mail goes out.");
  await audit(page);
  await page.getByRole("button", { name: "Create all anyway" }).click();
  await expect(page.getByRole("heading", { name: "3 rows ready" })).toBeVisible();
  await expect(summary(page)).toContainText("3 payment links to create: USD 20.00 + MYR 25.00");
  await expect(summary(page)).toContainText("2 e-mails to payers.");
  await expect(summary(page)).toContainText(
    "No mail server is set, so they are kept and not sent.",
  );
  await rows.nth(0).getByRole("checkbox", { name: "Create row 2 anyway" }).uncheck();
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
  await page.getByLabel("Spreadsheet").setInputFiles(csv([head, ...many]));
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
  await page.getByLabel("Spreadsheet").setInputFiles(twoRows);
  const button = page.getByRole("button", { name: "Create 2 payment links" });
  await button.click({ trial: true });
  await page.route("**/api/payment-links/bulk", cutAfter, { times: 1 });
  await button.click();
  await expect(page.getByRole("heading", { name: "2 payment links created" })).toBeVisible();
  expect(await links(shop)).toHaveLength(2);

  await page.getByRole("button", { name: "Choose another file" }).click();
  await page.getByLabel("Spreadsheet").setInputFiles(twoRows);
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
