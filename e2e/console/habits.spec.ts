import type { Page } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, gate, notice, pick, rowOf } from "./screen";

const list = "Payment links";
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const palette = (page: Page) => page.getByRole("dialog", { name: "Search" });

test.describe("a row", { tag: "@phone" }, () => {
  test("opens its record wherever it is pressed, and a new tab for the middle button", async ({
    page,
    context,
    shop,
    at,
  }) => {
    const link = await newLink(shop, { title: "Short" });
    await arrive(page, at("/payment-links"), list);
    const row = rowOf(page, list, "Short");
    const opened = context.waitForEvent("page");
    await row.getByText("MYR 12.50").click({ button: "middle" });
    const tab = await opened;
    await expect(tab).toHaveURL(new RegExp(`/payment-links/${link._id}$`));
    await tab.close();
    await row.getByText("MYR 12.50").click();
    await expect(page).toHaveURL(new RegExp(`/payment-links/${link._id}$`));
  });

  test("stays closed when its copy button or its menu is pressed", async ({ page, shop, at }) => {
    await newLink(shop, { title: "Short" });
    await arrive(page, at("/payment-links"), list);
    const row = rowOf(page, list, "Short");
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await expect(page.getByRole("menuitem").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await row.getByRole("button", { name: /^Copy/ }).click();
    await expect(page).toHaveURL(/\/payment-links$/);
  });
});

test("a text that is too long is counted by characters and kept, never cut", async ({
  page,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  const title = field(page, "Title");
  await title.fill("🎉".repeat(50));
  await expect(title).toHaveAccessibleDescription(/50 of 50 characters\./);
  await title.fill(`${"a".repeat(59)}🎉`);
  await expect(title).toHaveAccessibleDescription(/60 of 50 characters\./);
  await page.keyboard.press("Control+Enter");
  await expect(title).toHaveAccessibleDescription(/Title may have at most 50 characters\./);
  await expect(title).toHaveValue(`${"a".repeat(59)}🎉`);
});

test("an amount is understood as people write it", async ({ page, at }) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await pick(field(page, "Currency"), "MYR");
  for (const [written, shown] of [
    ["1.250,50", "1250.50"],
    ["12,5", "12.50"],
    ["RM 12.50", "12.50"],
  ] as const) {
    await field(page, "Amount").fill(written);
    await field(page, "Amount").blur();
    await expect(field(page, "Amount")).toHaveValue(shown);
  }
  // Read once more in the digits of another currency, but not as another amount.
  for (const [currency, written, shown] of [
    ["VND", "50.000", "50000"],
    ["KWD", "1.250", "1.250"],
    ["JPY", undefined, "1.250"],
  ] as const) {
    await pick(field(page, "Currency"), currency);
    if (written) await field(page, "Amount").fill(written);
    await field(page, "Amount").focus();
    await field(page, "Amount").blur();
    await expect(field(page, "Amount")).toHaveValue(shown);
  }
  await field(page, "Amount").press("Control+Enter");
  await expect(field(page, "Amount")).toHaveAccessibleDescription(/JPY has no decimals/);
});

test("a record names its tab, and keeps its JSON closed until it is asked for", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Violin lessons" });
  await page.goto(at(`/payment-links/${link._id}`));
  await expect(page).toHaveTitle("Violin lessons · MYR 12.50 · Kutip");
  const json = page.getByRole("region", { name: "JSON of this record" });
  await expect(json).toBeHidden();
  await page.getByText("JSON", { exact: false }).first().click();
  await expect(json).toContainText(link._id);
  await page.getByRole("link", { name: list }).last().click();
  await expect(page.getByRole("heading", { level: 1, name: list })).toBeVisible();
  await expect(page).toHaveTitle(`${list} · Kutip`);
});

test("without a network the page stays, says so, and follows the pressed link when it is back", async ({
  page,
  context,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await context.setOffline(true);
  await expect(page.getByText("You are offline.", { exact: false })).toBeVisible();
  await page.getByRole("link", { name: "Packages" }).first().click();
  await expect(page.getByText("opens when the network is back", { exact: false })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "New payment link" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Packages" })).toBeVisible();
  await expect(page.getByText("You are offline.", { exact: false })).toHaveCount(0);
});

test("without a network a shortcut and an entry of the palette keep the page too, and are followed when it is back", async ({
  page,
  context,
  at,
}) => {
  await arrive(page, at("/packages"), "Packages");
  // The palette comes after the page: it must be there before the network is gone.
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("option", { name: "Tokens" }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  const later = page.getByText("opens when the network is back", { exact: false });

  await context.setOffline(true);
  await expect(page.getByText("You are offline.", { exact: false })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(later).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Packages" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Subscriptions" })).toBeVisible();

  await context.setOffline(true);
  await expect(page.getByText("This page stays as it is.", { exact: false })).toBeVisible();
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").fill("tokens");
  await expect(palette(page).getByRole("option", { name: "Tokens" }).first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(later).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Subscriptions" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Tokens" })).toBeVisible();
  await expect(page.getByText("You are offline.", { exact: false })).toHaveCount(0);
});

const scripts = "**/_next/static/**/*.js";
/** From here on no script arrives. The notices are there: without them a failure could not be said. */
async function refuseScripts(page: Page): Promise<void> {
  await expect(page.getByRole("region", { name: "Notifications" })).toBeAttached();
  await page.route(scripts, (route) => route.abort("connectionreset"));
}

test("a part that does not load leaves the page and what was typed as they are, and comes at the next press", async ({
  page,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await field(page, "Title").fill("Kept");
  await refuseScripts(page);
  const heading = page.getByRole("heading", { level: 1, name: "New payment link" });
  await heading.click();
  await page.keyboard.press("?");
  await expect(notice(page, "Part of this page did not load")).toBeVisible();
  const notices = page.getByRole("region", { name: "Notifications" });
  // A notice that interrupts is read out elsewhere, and hidden from roles until it has the focus.
  await expect(notices.getByRole("button", { name: "Reload", includeHidden: true })).toBeVisible();
  await expect(heading).toBeVisible();
  await expect(field(page, "Title")).toHaveValue("Kept");
  await page.unroute(scripts);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
  await expect(field(page, "Title")).toHaveValue("Kept");
});

test("a part that did not load without a network comes when it is back", async ({
  page,
  context,
  shop,
  at,
}) => {
  await newLink(shop, { title: "Short" });
  await arrive(page, at("/payment-links"), list);
  await refuseScripts(page);
  const row = page.getByRole("checkbox", { name: "Select Short", exact: true });
  await context.setOffline(true);
  await expect(page.getByText("You are offline.", { exact: false })).toBeVisible();
  await row.check();
  await expect(notice(page, "Part of this page did not load")).toBeVisible();
  await page.unroute(scripts);
  await context.setOffline(false);
  const bar = page.getByRole("region", { name: "Selected payment links" });
  await expect(bar.getByText("1 selected")).toBeVisible();
  await expect(row).toBeChecked();
});

test("what was written without a network is asked about before the pressed link is followed", async ({
  page,
  context,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await field(page, "Title").fill("Kept");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Packages" }).first().click();
  await expect(page.getByText("opens when the network is back", { exact: false })).toBeVisible();
  await context.setOffline(false);
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
  await expect(field(page, "Title")).toHaveValue("Kept");
});

test("the palette knows what can be done, under the names that people use", async ({
  page,
  at,
}) => {
  await arrive(page, at(), "Overview");
  for (const [typed, found] of [
    ["invite", "Invite a colleague"],
    ["gateway", "Connect a payment provider"],
    ["issue token", "Issue a token"],
    ["new package", "Create a package"],
    ["subscribe", "Subscribe a payer"],
    ["import", "Import payment links"],
    ["export", "Export payments"],
    ["colour", "Change colour and logo"],
    ["passkey", "Add a passkey"],
    ["payments failed", "Failed payments"],
    ["sign out", "Sign out"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("combobox").fill(typed);
    await expect(palette(page).getByRole("option", { name: found })).toBeVisible();
    await page.keyboard.press("Escape");
  }
});

test("Enter before the palette's answer opens the first record once it comes", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Harp strings" });
  await arrive(page, at(), "Overview");
  const answer = gate();
  await page.route("**/api/search*", async (route) => {
    await answer.opened;
    await route.fallback();
  });
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").fill("Harp strings");
  await page.keyboard.press("Enter");
  answer.open();
  await expect(page).toHaveURL(new RegExp(`/payment-links/${link._id}$`));
});

test("Enter before the answer chooses an action where no record is found", async ({ page, at }) => {
  await arrive(page, at(), "Overview");
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").fill("invite");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/settings\/team$/);
});

test("in live mode without a gateway the form leads to where one is connected", async ({
  page,
  at,
}) => {
  await arrive(page, at("/payment-links/new", "live"), "New payment link");
  await page.getByRole("link", { name: "Connect a payment provider" }).click();
  await expect(page).toHaveURL(/\/live\/settings\/gateway$/);
  // A file that is checked row by row would be refused in the end.
  await arrive(page, at("/payment-links/import", "live"), "Import payment links");
  await expect(page.getByRole("link", { name: "Connect a payment provider" })).toBeVisible();
  await expect(page.getByLabel("Spreadsheet")).toHaveCount(0);
});
