import type { Page as Rows } from "@/lib/contract/envelope";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

test("a date without its time makes no key and no link: the field says so and keeps what was typed", async ({ page, shop, at }) => {
  await arrive(page, at("/developers"), "API keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const key = page.getByRole("form", { name: "New API key" });
  await key.getByLabel("Name").fill("Till");
  const expires = key.getByLabel("Expires");
  await expires.focus();
  await page.keyboard.type("01312031");
  await page.keyboard.press("Enter");
  await expect(key.getByText("The expires at is not a valid date.")).toBeVisible();
  await expect(expires).toBeFocused();
  await expect(page.getByRole("dialog", { name: "Your new key" })).toHaveCount(0);
  await expires.fill("2031-01-31T12:00");
  await key.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();

  await arrive(page, at("/payment-links/new"), "New payment link");
  const link = page.getByRole("form", { name: "Payment link" });
  await link.getByLabel("Title").fill("Cake");
  await link.getByLabel("Amount").fill("12.50");
  await link.getByLabel("E-mail").first().fill("ana@example.com");
  await link.getByLabel("Expires").focus();
  await page.keyboard.type("01312031");
  await link.getByRole("button", { name: "Create payment link" }).click();
  await expect(link.getByText("The expires at is not a valid date.")).toBeVisible();
  expect((await shop.api.ok<Rows<unknown>>("GET", "/payment-links")).data).toEqual([]);
});
