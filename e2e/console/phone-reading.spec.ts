import type { Locator } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, unfold } from "./screen";

const isWhole = (text: Locator) =>
  text.evaluate((element) => element.scrollWidth <= element.clientWidth);

test.beforeEach(({ page }) => page.setViewportSize({ width: 390, height: 844 }));

test("on a phone a row that the search found shows payer and amount as a whole", async ({
  page,
  shop,
  at,
}) => {
  const email = "parent.of.siti.bakar.0042@keluarga.example.com";
  await newLink(shop, { email, title: "Zoo Negara trip of the first year", amount: 18_500 });
  await arrive(page, at(), "Overview");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: "Search" }).fill(email);
  const row = page.getByRole("option", { name: email }).first();
  for (const part of [row.getByText("MYR 185.00"), row.getByText(email)])
    expect(await isWhole(part)).toBe(true);
});

test("on a phone a payer's address is read as a whole, and open filters leave the search its line", async ({
  page,
  shop,
  at,
}) => {
  const email = "parent.of.siti.bakar.and.of.ahmad.bakar.0042@keluarga.sekolah.example.com";
  const { _id } = await newLink(shop, { email, title: "Zoo" });
  await arrive(page, at(`/payment-links/${_id}`), "Zoo");
  const payer = page.getByRole("link", { name: email }).first();
  expect(await isWhole(payer.locator("span"))).toBe(true);
  await arrive(page, at("/payment-links"), "Payment links");
  const search = page.getByRole("searchbox", { name: "Search payment links" });
  const before = await search.boundingBox();
  await unfold(page);
  expect(await search.boundingBox()).toEqual(before);
});
