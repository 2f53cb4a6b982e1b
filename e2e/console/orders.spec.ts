import type { Page } from "@playwright/test";
import { pool } from "@/db/client";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { newPackage, newSubscription } from "./records";
import { arrive, rowsOf } from "./screen";

/** In which order rows show some words. */
const shown = async (page: Page, list: string, words: readonly string[]) => {
  const texts = await rowsOf(page, list).allInnerTexts();
  return texts.flatMap((text) => words.filter((word) => text.includes(word)));
};

test("lists are sorted by their payers and names, without case, and go to a page and to days", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const people = ["Bo", "ana", "Cem", "dia"].map((name) => `${name}@example.com`);
  const names = ["Gold", "bronze", "Silver", "copper"];
  for (const [index, email] of people.entries()) {
    await newLink(shop, { email, title: `Order ${index}` });
    await newPackage(shop, { name: names[index], date_charge_start: "2099-01-31" });
  }
  const { _id: package_id } = await newPackage(shop, {
    name: "zinc",
    date_charge_start: "2099-01-31",
  });
  for (const email of people) await newSubscription(shop, { email, package_id });
  for (const [list, path, column, words, hasDays] of [
    ["Payment links", "payment-links", "Payer", people, true],
    ["Customers", "customers", "E-mail", people, true],
    ["Subscriptions", "subscriptions", "Subscriber", people, true],
    ["Packages", "packages", "Name", [...names, "zinc"], false],
  ] as const) {
    const sorted = words.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    await arrive(page, at(`/${path}`), list);
    const header = page.getByRole("columnheader", { name: column, exact: true });
    await header.getByRole("button").click();
    await expect(header, list).toHaveAttribute("aria-sort", "ascending");
    await expect.poll(() => shown(page, list, words), list).toEqual(sorted);
    await header.getByRole("button").click();
    await expect(header, list).toHaveAttribute("aria-sort", "descending");
    await expect.poll(() => shown(page, list, words), list).toEqual(sorted.toReversed());
    await audit(page);
    if (!hasDays) continue;
    await page
      .getByRole("button", { name: /^(Created|Since)\b/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Choose days…" }).click();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("To", { exact: true }).fill("2020-01-02");
    await page.getByRole("button", { name: "Show these days" }).click();
    await expect(page, list).toHaveURL(/created_from=2020-01-01&created_to=2020-01-02/);
    await expect(page.getByText("No results"), list).toBeVisible();
  }
  await pool().query(
    `insert into payment_links (business_id, mode, id, email, currency, amount, title)
     select $1, 'test', 'a' || lpad(to_hex(i), 23, '0'), 'eve' || lpad(i::text, 2, '0') || '@example.com', 'MYR', 500, 'Other' from generate_series(1, 40) i`,
    [shop.id],
  );
  await arrive(page, at("/payment-links?sort=email"), "Payment links");
  const pager = page.getByRole("form", { name: "Go to a page of payment links" });
  await pager.getByLabel("Page").fill("3");
  await pager.getByLabel("Page").press("Enter");
  await expect(page).toHaveURL(/page=3/);
  await expect(rowsOf(page, "Payment links").last()).toContainText("eve40@example.com");
});

test("an order in the address that a list does not know is taken out with its filters", async ({
  page,
  shop,
  at,
}) => {
  const { title } = await newLink(shop);
  await page.goto(at("/payment-links?sort=bogus"));
  await expect(page.getByText("This did not load")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowsOf(page, "Payment links").filter({ hasText: title })).toBeVisible();
  await expect(page).not.toHaveURL(/sort=/);
});
