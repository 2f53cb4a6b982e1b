import type { Page } from "@playwright/test";
import { createKey } from "@/lib/domain/api-keys/create";
import { Api } from "../api-client";
import { expect, test } from "./fixtures";
import { arrive, choose, rowOf, rowsOf } from "./screen";
import { copied, statusOf } from "./terminal";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Your new key" });

/** Leaves the dialog with a key for good, and gives the key it showed. */
async function keep(page: Page): Promise<string> {
  const key = await dialog(page).getByRole("region", { name: "The new key" }).textContent();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await page
    .getByRole("alertdialog", { name: "You won’t see it again" })
    .getByRole("button", { name: "I’ve saved it" })
    .click();
  await expect(dialog(page)).toHaveCount(0);
  return key?.trim() ?? "";
}

test("a key is shown once, works, shows its last use and is refused once it is revoked", async ({
  page,
  install,
  shop,
  at,
}) => {
  await arrive(page, at("/developers"), "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("form", { name: "New API key" });
  await form.getByRole("button", { name: "Create key" }).click();
  await expect(form.getByText("Name is required.")).toBeVisible();
  await expect(form.getByLabel("Name")).toBeFocused();
  await form.getByLabel("Name").fill("Web shop");
  await form.getByRole("button", { name: "Create key" }).click();

  await expect(dialog(page)).toBeVisible();
  const first = await copied(page, "Copy call");
  const key = await copied(page, "Copy key");
  expect(key).toMatch(/^sk_test_\w{49}$/);
  expect(await statusOf(first, "")).toBe(200);

  await page.keyboard.press("Escape");
  const asked = page.getByRole("alertdialog", { name: "You won’t see it again" });
  await expect(asked).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(asked).toHaveCount(0);
  await expect(dialog(page)).toBeVisible();
  expect(await keep(page)).toBe(key);

  await page.reload();
  const row = rowOf(page, "API keys", "Web shop");
  await expect(row).toContainText(`sk_test_…${key.slice(-4)}`);
  await expect(row).toContainText("Active");
  await expect(row).toContainText("Mei Tan");
  expect(await page.content()).not.toContain(key);

  expect((await new Api(install.url, key).call("GET", "/payment-links")).status).toBe(200);
  // The use of a key is noted within seconds.
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText("Active");
    await expect(row).not.toContainText("Never", { timeout: 500 });
  }).toPass();
  await choose(page, row, "Revoke…");
  const question = page.getByRole("alertdialog", { name: "Revoke “Web shop”?" });
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  await choose(page, row, "Revoke…");
  await question.getByRole("button", { name: "Revoke key" }).click();
  await expect(row).toContainText("Revoked");
  await expect
    .poll(async () => (await new Api(install.url, key).call("GET", "/payment-links")).status)
    .toBe(401);
  expect((await shop.api.call("GET", "/payment-links")).status).toBe(200);
});

test("a rolled key goes on for the chosen time beside the new one, or not at all", async ({
  page,
  install,
  shop,
  at,
}) => {
  const { secret: old } = await createKey(shop.ctx, "Till");
  await arrive(page, at("/developers"), "API keys");
  const row = rowOf(page, "API keys", `…${old.slice(-4)}`);
  await choose(page, row, "Roll…");
  await page
    .getByRole("dialog", { name: "Roll “Till”" })
    .getByRole("radio", { name: "3 days" })
    .check();
  await page.getByRole("button", { name: "Roll key" }).click();
  const next = await keep(page);
  await expect(row).toContainText("Rolled");
  await expect(row).toContainText("in 2 days");
  for (const key of [old, next])
    expect((await new Api(install.url, key).call("GET", "/payment-links")).status).toBe(200);

  await choose(page, rowOf(page, "API keys", `…${next.slice(-4)}`), "Roll…");
  await expect(page.getByRole("radio", { name: "1 day" })).toBeChecked();
  await page.getByRole("radio", { name: "Not at all" }).check();
  await page.getByRole("button", { name: "Roll key" }).click();
  const last = await keep(page);
  await expect
    .poll(async () => (await new Api(install.url, next).call("GET", "/payment-links")).status)
    .toBe(401);
  for (const key of [old, last])
    expect((await new Api(install.url, key).call("GET", "/payment-links")).status).toBe(200);

  await page.getByLabel("State").selectOption("Ended");
  await expect(page).toHaveURL(/status=revoked/);
  await expect(rowsOf(page, "API keys")).toHaveCount(1);
});

test("keys of live mode have their own list and beginning, and live mode begins with what a key is for", async ({
  page,
  at,
  audit,
}) => {
  await arrive(page, at("/developers", "live"), "API keys");
  await expect(page.getByRole("heading", { name: "Let a program collect for you" })).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await audit(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "New live key" }).getByLabel("Name").fill("Shop");
  await page
    .getByRole("form", { name: "New API key" })
    .getByRole("button", { name: "Create key" })
    .click();
  expect(await keep(page)).toMatch(/^sk_live_/);
  await arrive(page, at("/developers"), "API keys");
  await expect(rowOf(page, "API keys", "sk_live_")).toHaveCount(0);
  await expect(rowOf(page, "API keys", "browser test")).toContainText("sk_test_…");
});

test("a list that fails says why and comes back by Retry", async ({ page, at, audit }) => {
  await page.route("**/api/api-keys?*", (route) =>
    route.fulfill({
      status: 500,
      json: { message: "Something went wrong.", code: "internal", errors: {} },
    }),
  );
  await arrive(page, at("/developers"), "API keys");
  await expect(page.getByRole("alert").filter({ hasText: "This did not load" })).toBeVisible();
  await audit(page);
  await page.unroute("**/api/api-keys?*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(rowOf(page, "API keys", "browser test")).toBeVisible();
});
