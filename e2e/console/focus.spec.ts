import type { Page, Request } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, choose, gate, notice, rowOf } from "./screen";

/** Holds back every script that the page's own document does not name. The returned function lets them come, and ends when they are there. */
async function holdLater(page: Page, address: string): Promise<() => Promise<void>> {
  const html = await (await page.request.get(address)).text();
  const { open, opened } = gate();
  const held: Request[] = [];
  await page.route("**/*.js", async (route) => {
    const request = route.request();
    if (!html.includes(new URL(request.url()).pathname)) {
      held.push(request);
      await opened;
    }
    await route.continue();
  });
  return async () => {
    expect(held.length).toBeGreaterThan(0);
    open();
    for (const request of held) await (await request.response())?.finished();
    await page.evaluate(() => new Promise((done) => setTimeout(done)));
  };
}

test("each button of a menu stays in its place as the script of all menus arrives, and opens by Enter", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  const address = at(`/payment-links/${link._id}`);
  for (const name of ["Share", "More actions", `Business: ${shop.name}`, /^Account: (?!loading)/]) {
    const release = await holdLater(page, address);
    // What is held back is waited for by the page's load event too.
    await page.goto(address, { waitUntil: "domcontentloaded" });
    await expect(page.getByRole("button", { name: "More actions" })).toBeEnabled();
    const button = page.getByRole("button", { name });
    await button.focus();
    const element = await button.elementHandle();
    await release();
    expect(await element?.evaluate((one) => document.activeElement === one)).toBe(true);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menu")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0);
    await expect(button).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("menu")).toBeVisible();
    await page.unroute("**/*.js");
  }
});

test("a menu opens by an arrow key at the first press", async ({ page, shop, at }) => {
  const link = await newLink(shop);
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  await page.getByRole("button", { name: "Share" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
});

test("a menu whose script arrives between the mouse's going down and up opens all the same", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  const address = at(`/payment-links/${link._id}`);
  const release = await holdLater(page, address);
  await page.goto(address, { waitUntil: "domcontentloaded" });
  await expect(page.getByRole("button", { name: "Share" })).toBeEnabled();
  await page.getByRole("button", { name: "Share" }).hover();
  await page.mouse.down();
  await release();
  await page.mouse.up();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.getByRole("menuitem").first().hover();
  await expect(page.getByRole("menu")).toBeVisible();
});

test("of two menus that are pressed before their script arrives, only the last opens", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  const address = at(`/payment-links/${link._id}`);
  const release = await holdLater(page, address);
  await page.goto(address, { waitUntil: "domcontentloaded" });
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  await release();
  await expect(page.getByRole("menuitem", { name: "Duplicate" })).toBeVisible();
  await expect(page.getByRole("menu")).toHaveCount(1);
});

const content = (page: Page) => page.locator("#content");

test("a button that goes with what it did leaves the focus to the page's content", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop, { title: "Kept" });
  await newLink(shop, { title: "Deleted" });
  await arrive(page, at("/payment-links?q=nothing"), "Payment links");
  await page.getByRole("heading", { name: "No results" }).waitFor();
  await page.getByRole("search").getByRole("button", { name: "Clear filters" }).press("Enter");
  await expect(rowOf(page, "Payment links", "Kept")).toBeVisible();
  await expect(content(page)).toBeFocused();

  await choose(page, rowOf(page, "Payment links", "Deleted"), "Delete…");
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: "Delete payment link" })
    .press("Enter");
  await expect(rowOf(page, "Payment links", "Deleted")).toHaveCount(0);
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(content(page)).toBeFocused();

  await page.getByRole("link", { name: "Kept" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Kept" })).toBeVisible();
  await expect(content(page)).toBeFocused();
});

test("Undo in a notice leaves the focus on the page", async ({ page, shop, at }) => {
  await newLink(shop, { title: "Taken back" });
  await arrive(page, at("/payment-links"), "Payment links");
  await choose(page, rowOf(page, "Payment links", "Taken back"), "Cancel link");
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(rowOf(page, "Payment links", "Taken back")).toContainText("Open");
  await expect(notice(page, "Undo")).toHaveCount(0);
  await expect(page.locator("body")).not.toBeFocused();
});

test("the button that reaches the last page keeps the focus and does nothing more; a file that was chosen leaves it on the page", async ({
  page,
  shop,
  at,
}) => {
  await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      newLink(shop, { title: `Order ${index}`, reference: `R-${index}` }),
    ),
  );
  await arrive(page, at("/payment-links"), "Payment links");
  const next = page.getByRole("button", { name: "Next page" });
  await next.press("Enter");
  await expect(page.getByText("Page 2 of 2")).toBeVisible();
  await expect(page.getByText("16 to 16 of 16")).toBeVisible();
  await expect(next).toBeFocused();
  await expect(next).toBeDisabled();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/page=2$/);

  await arrive(page, at("/payment-links/import"), "Import payment links");
  const file = page.getByLabel("Spreadsheet");
  await file.focus();
  await file.setInputFiles({
    name: "links.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("email,title,currency,amount_decimal\nana@example.com,Cake,MYR,12.50"),
  });
  await expect(page.getByText("1 row ready")).toBeVisible();
  await expect(content(page)).toBeFocused();
  await page.getByRole("button", { name: "Create 1 payment link" }).press("Enter");
  await expect(page.getByRole("heading", { name: "1 payment link created" })).toBeVisible();
  await expect(content(page)).toBeFocused();
  await page.getByRole("button", { name: "Choose another file" }).press("Enter");
  await expect(file).toBeVisible();
  await expect(content(page)).toBeFocused();
});

test("switching the mode keeps the focus on the switch", async ({ page, shop, at }) => {
  await newLink(shop);
  await arrive(page, at("/payment-links"), "Payment links");
  await page.getByRole("switch", { name: "Test mode" }).press("Space");
  await expect(page).toHaveURL(/\/live\/payment-links$/);
  await expect(
    page.getByRole("heading", { level: 2, name: "Ask for your first payment" }),
  ).toBeVisible();
  await expect(page.getByRole("switch", { name: "Test mode" })).toBeFocused();
});

test("copying without the clipboard of https gives the focus back, in a dialog too", async ({
  page,
  shop,
  at,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "clipboard", { value: undefined }),
  );
  await newLink(shop, { title: "Copied" });
  await arrive(page, at("/payment-links"), "Payment links");
  await page.getByRole("button", { name: "Copy payment link: Copied" }).press("Enter");
  await expect(page.getByRole("button", { name: "Copied", exact: true })).toBeFocused();

  await arrive(page, at("/developers"), "API keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByRole("form", { name: "New API key" }).getByLabel("Name").fill("Till");
  await page
    .getByRole("form", { name: "New API key" })
    .getByRole("button", { name: "Create key" })
    .click();
  const made = page.getByRole("dialog", { name: "Your new key" });
  await made.getByRole("button", { name: /^Copy/ }).first().press("Enter");
  await expect(made.getByRole("button", { name: "Copied", exact: true })).toBeFocused();
});
