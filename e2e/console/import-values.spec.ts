import type { PaymentLink } from "@/lib/contract/payment-links";
import { chooseCsv } from "./csv";
import { expect, test } from "./fixtures";

test("whole numbers under the name amount are asked about", async ({ page, at }) => {
  await chooseCsv(page, at, ["email,title,currency,Amount", "ana@example.com,Invoice 1,MYR,1250"]);
  await page.getByRole("button", { name: "Check the rows" }).click();
  await expect(
    page.getByRole("alert").filter({ hasText: "Choose a column for Amount." }),
  ).toBeVisible();
  await page.getByLabel("Amount").selectOption("Amount without its decimal point: 1250 for 12.50");
  await page.getByRole("button", { name: "Check the rows" }).click();
  await expect(page.getByRole("region", { name: "What this import does" })).toContainText(
    "1 payment link to create: MYR 12.50",
  );
});

test("a due date is read as people write it and shown for each row, and one that is none says how to write it", async ({
  page,
  shop,
  at,
}) => {
  await chooseCsv(page, at, [
    "email,title,currency,amount_decimal,due,send_email",
    "ana@example.com,Zoo trip,MYR,12.50,15/12/2030,false",
    "ben@example.com,Zoo trip,MYR,12.50,04/12/2030,false",
    "cho@example.com,Zoo trip,MYR,12.50,soon,false",
  ]);
  await expect(
    page.getByRole("heading", { name: "2 rows ready, 1 row with mistakes" }),
  ).toBeVisible();
  const rows = page.getByRole("list", { name: "Rows of the file" }).locator("> li");
  await expect(rows.nth(0)).toContainText("Due 15 Dec 2030, 23:59");
  await expect(rows.nth(1)).toContainText("Due 4 Dec 2030, 23:59");
  await expect(rows.nth(2)).toContainText(
    "Due is not a valid date. Write it as 2027-01-15 or 15 Jan 2027.",
  );
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  await expect(page.getByRole("heading", { name: /^2 payment links created/ })).toBeVisible();
  const { data } = await shop.api.ok<{ data: PaymentLink[] }>("GET", "/payment-links");
  const days = data.map(({ due_at }) => due_at?.slice(0, 10)).sort();
  expect(days).toEqual(["2030-12-04", "2030-12-15"]);
});

test("FALSE, as Excel saves it, mails no one", async ({ page, at }) => {
  await chooseCsv(page, at, [
    "email,title,currency,amount_decimal,send_email",
    "ana@example.com,Zoo trip,MYR,12.50,FALSE",
  ]);
  await expect(page.getByRole("heading", { name: "1 row ready" })).toBeVisible();
  await expect(page.getByRole("region", { name: "What this import does" })).toContainText(
    "No e-mail goes out.",
  );
});

test("a mistake that every row has is said once, with where to correct it, and a reload asks before the file is lost", async ({
  page,
  at,
}) => {
  await chooseCsv(page, at, [
    "email,title,currency,amount_decimal,send_email",
    "ana@example.com,Zoo trip,XXQ,12.50,false",
    "ben@example.com,Zoo trip,XXQ,12.50,false",
  ]);
  const summary = page.getByRole("region", { name: "What this import does" });
  await expect(summary).toContainText("Every row has the same error:");
  await summary.getByRole("button", { name: "Change columns" }).click();
  await expect(page.getByRole("button", { name: "Check the rows" })).toBeVisible();

  await page.getByRole("link", { name: "Payments", exact: true }).click();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await expect(question).toContainText("have not been created");
  await question.getByRole("button", { name: "Keep editing" }).click();
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => window.location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await expect(page.getByRole("button", { name: "Check the rows" })).toBeVisible();
});

test("an import that fails is said beside its button, with the focus, and can be sent again", async ({
  page,
  at,
}) => {
  const rows = Array.from(
    { length: 40 },
    (_, n) => `ana@example.com,Zoo trip ${n + 1},MYR,12.50,false`,
  );
  await chooseCsv(page, at, ["email,title,currency,amount_decimal,send_email", ...rows]);
  const summary = page.getByRole("region", { name: "What this import does" });
  const create = summary.getByRole("button", { name: "Create 40 payment links" });
  await expect(create).toBeVisible();
  await page.route("**/api/payment-links/bulk", (route) =>
    route.fulfill({
      status: 409,
      json: {
        success: false,
        message: "It is in the way of another.",
        code: "conflict",
        errors: null,
      },
    }),
  );
  await create.click();
  const said = summary.getByRole("alert").filter({ hasText: "It is in the way of another." });
  await expect(said).toBeFocused();
  await expect(said).toBeInViewport();
  await expect(page.getByRole("alert").filter({ hasText: "It is in the way" })).toHaveCount(1);
  await page.unroute("**/api/payment-links/bulk");
  await create.click();
  await expect(page.getByRole("heading", { name: /^40 payment links created/ })).toBeVisible();
});
