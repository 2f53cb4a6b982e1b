import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkNow, newLink, type Shop } from "../shop";
import { expect, signIn, test } from "./fixtures";
import { readQr } from "./qr";
import { arrive, choose, goBack, notice, pick, rowOf, rowsOf } from "./screen";

const list = "Payment links";
const field = (page: Page, name: string) =>
  page.getByRole("form", { name: "Payment link" }).getByLabel(new RegExp(`^${name}`));
const linksOf = (shop: Shop) =>
  shop.api.ok<{ data: PaymentLink[] }>("GET", "/payment-links").then(({ data }) => data);

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
}
const filled = { Title: "Wedding catering", Amount: "1,250.5", "E-mail": "ana@example.com" };
const save = (page: Page) => page.getByRole("button", { name: "Create payment link" }).click();

test("after creating, the address is there to copy, show, share and open, and the list has it", async ({
  page,
  context,
  shop,
  at,
  audit,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await newLink(shop, { title: "Before" });
  await arrive(page, at("/payment-links"), list);
  await expect(rowsOf(page, list)).toHaveCount(1);
  await page.getByRole("link", { name: "Create payment link" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "New payment link" })).toBeVisible();
  await pick(field(page, "Currency"), "MYR");
  await fill(page, filled);
  await field(page, "Send the link by e-mail").uncheck();
  await save(page);
  const panel = page.getByRole("region", { name: "Payment link created" });
  await expect(panel.getByRole("heading", { name: "Your payment link is ready" })).toBeFocused();
  const [made] = await linksOf(shop);
  if (!made) throw new Error("no link was made");
  expect(made).toMatchObject({
    title: "Wedding catering",
    amount: 125_050,
    currency: "MYR",
    email: "ana@example.com",
    status: "Active",
  });
  await expect(panel.getByRole("link", { name: made.payment_url })).toHaveAttribute(
    "href",
    made.payment_url,
  );
  await expect(panel.getByRole("link", { name: "Open", exact: true })).toHaveAttribute(
    "href",
    made.payment_url,
  );
  await panel.getByRole("button", { name: "Copy payment link" }).click();
  await expect(panel.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made.payment_url);
  await audit(page);
  await panel.getByRole("button", { name: "Send by e-mail" }).click();
  await expect(notice(page, "Not sent to ana@example.com")).toBeVisible();
  await page.getByRole("link", { name: list }).last().click();
  await expect(rowsOf(page, list)).toHaveCount(2);
  await expect(rowOf(page, list, "Wedding catering")).toContainText("MYR 1,250.50");
});

test("amounts are taken in each currency's own digits", async ({ page, shop, at }) => {
  for (const [currency, written, minor, shown] of [
    ["JPY", "850", 850, "JPY 850"],
    ["KWD", "12.345", 12_345, "KWD 12.345"],
  ] as const) {
    await arrive(page, at("/payment-links/new"), "New payment link");
    await pick(field(page, "Currency"), currency);
    await fill(page, { ...filled, Amount: `${written}${currency === "JPY" ? ".5" : "67"}` });
    await save(page);
    await expect(field(page, "Amount")).toBeFocused();
    await expect(field(page, "Amount")).toHaveAccessibleDescription(
      currency === "JPY"
        ? /An amount of JPY has no decimals\./
        : /The amount may have at most 3 decimals\./,
    );
    await fill(page, { Amount: written });
    await expect(
      page
        .getByRole("region", { name: /preview/i })
        .getByText(shown, { exact: false })
        .first(),
    ).toBeAttached();
    await save(page);
    await expect(page.getByRole("heading", { name: "Your payment link is ready" })).toBeVisible();
    expect((await linksOf(shop))[0]).toMatchObject({ currency, amount: minor });
  }
});

test("a person who was signed out meanwhile sees how to go on, and keeps what was written", async ({
  page,
  context,
  install,
  staff,
  shop,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await fill(page, filled);
  await pick(field(page, "Currency"), "MYR");
  await context.clearCookies();
  await save(page);
  await expect(
    page
      .getByRole("alert")
      .filter({ hasText: "You were signed out. Sign in in another tab, then save again." }),
  ).toBeVisible();
  await expect(field(page, "Title")).toHaveValue("Wedding catering");
  await signIn(context, staff, install);
  await save(page);
  await expect(page.getByRole("heading", { name: "Your payment link is ready" })).toBeVisible();
  expect(await linksOf(shop)).toHaveLength(1);
});

test("what the API would refuse is said at its field, the first of them focused; no address that could run a script", async ({
  page,
  at,
  audit,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await fill(page, {
    Amount: "1",
    "E-mail": "not an address",
    "Return address": "javascript:alert(1)",
  });
  await save(page);
  await expect(field(page, "Title")).toBeFocused();
  await expect(field(page, "Title")).toHaveAccessibleDescription(/Title is required\./);
  await expect(field(page, "Amount")).toHaveAccessibleDescription(
    /Amount must be at least USD 5\.00\./,
  );
  await expect(field(page, "E-mail")).toHaveAccessibleDescription(
    /E-mail must be a valid e-mail address\./,
  );
  await expect(field(page, "Return address")).toHaveAccessibleDescription(
    /Return address must be a valid URL\./,
  );
  await audit(page);
  await fill(page, { "Return address": "data:text/html,hello" });
  await expect(field(page, "Return address")).toHaveAccessibleDescription(
    /Return address must be a valid URL\./,
  );
});

test("what only the server can refuse is said at its field too", async ({ page, at }) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  await page.route("**/api/payment-links", (route) =>
    route.fulfill({
      status: 422,
      json: {
        message: "The given data was invalid.",
        errors: { reference: ["The reference has already been taken."] },
      },
    }),
  );
  await fill(page, { ...filled, Reference: "INV-1" });
  await save(page);
  await expect(field(page, "Reference")).toBeFocused();
  await expect(field(page, "Reference")).toHaveAccessibleDescription(
    /Reference has already been taken\./,
  );
});

test("the payer's page is seen while writing, on both screens, without a button that pays", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  const preview = page.getByRole("region", { name: /preview/i });
  await pick(field(page, "Currency"), "KWD");
  await fill(page, { Title: "Kopi beans", Amount: "12.5", Description: "Five kilos" });
  await expect(preview.getByText("12.500", { exact: true })).toBeVisible();
  await expect(preview.locator("h1", { hasText: "Kopi beans" })).toBeVisible();
  await expect(preview.getByText("Five kilos")).toBeVisible();
  await expect(preview.getByText(shop.name).first()).toBeAttached();
  await expect(preview.getByRole("button", { name: /pay/i })).toHaveCount(0);
  const sheet = preview.locator("main.sheet");
  const shape = async () => {
    const box = await sheet.boundingBox();
    return (box?.width ?? 0) / (box?.height ?? 1);
  };
  const upright = await shape();
  await preview.getByRole("button", { name: "Desktop" }).click();
  await expect(preview.getByRole("button", { name: "Desktop" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect.poll(shape).toBeGreaterThan(upright * 1.5);
  await preview.getByRole("button", { name: "Mobile" }).click();
  await expect.poll(shape).toBeLessThan(upright * 1.1);
});

test("a duplicate starts with everything but what made the first one that one", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, {
    description: "Two coffees",
    reference_2: "R2",
    phone_no: "+60123456789",
  });
  await arrive(page, at("/payment-links"), list);
  await choose(page, rowOf(page, list, link.title), "Duplicate");
  await expect(
    page.getByRole("heading", { level: 1, name: "Duplicate payment link" }),
  ).toBeVisible();
  for (const [name, value] of Object.entries({
    Title: link.title,
    Amount: "12.50",
    Description: "Two coffees",
    "E-mail": link.email,
    Reference: "",
    "Second reference": "",
  })) {
    await expect(field(page, name)).toHaveValue(value);
  }
  await save(page);
  await expect(page.getByRole("heading", { name: "Your payment link is ready" })).toBeVisible();
  await page.goto(at("/payment-links"));
  await expect(rowsOf(page, list)).toHaveCount(2);
  const both = await linksOf(shop);
  expect(new Set(both.map(({ payment_url }) => payment_url)).size).toBe(2);
  expect(both.map(({ amount, description }) => [amount, description])).toEqual([
    [1250, "Two coffees"],
    [1250, "Two coffees"],
  ]);
});

test("an edit keeps the address; leaving with unsaved changes asks first", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/payment-links"), list);
  await choose(page, rowOf(page, list, link.title), "Edit");
  await expect(page.getByRole("heading", { level: 1, name: "Edit payment link" })).toBeVisible();
  const preview = page.getByRole("region", { name: /preview/i });
  await fill(page, { Title: "Changed title" });
  await expect(preview.getByText("Changed title", { exact: true })).toBeVisible();
  await goBack(page);
  const ask = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await expect(ask).toBeVisible();
  await ask.getByRole("button", { name: "Keep editing" }).click();
  await expect(field(page, "Title")).toHaveValue("Changed title");
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(ask).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Changed title" })).toBeVisible();
  expect(await linkNow(shop, link._id)).toMatchObject({
    title: "Changed title",
    payment_url: link.payment_url,
    amount: 1250,
  });
  const entry = page
    .getByRole("list", { name: "Timeline" })
    .getByRole("listitem")
    .filter({ hasText: "Changed" })
    .first();
  await expect(entry).toContainText("Mei Tan");
  await expect(entry.getByRole("deletion")).toHaveText(link.title);
  await expect(entry.getByRole("insertion")).toHaveText("Changed title");

  await page.goto(at("/payment-links"));
  await choose(page, rowOf(page, list, "Changed title"), "Edit");
  await fill(page, { Title: "Never saved" });
  await expect(preview.getByText("Never saved", { exact: true })).toBeVisible();
  await goBack(page);
  await ask.getByRole("button", { name: "Leave" }).click();
  await expect(rowOf(page, list, "Changed title")).toBeVisible();
  expect((await linkNow(shop, link._id)).title).toBe("Changed title");
});

test("the QR code leads to the address and is saved as picture and drawing", {
  tag: "@phone",
}, async ({ page, shop, at }) => {
  const link = await newLink(shop);
  // The page draws the picture itself, also while the server is too busy to.
  await page.route("**/qr.svg*", (route) => route.fulfill({ status: 429 }));
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  await page.getByRole("button", { name: "QR code" }).click();
  const dialog = page.getByRole("dialog", { name: "QR code" });
  const image = dialog.getByRole("img", { name: `QR code of the payment link ${link.title}` });
  await expect(image).toBeVisible();
  expect(await readQr(image)).toBe(link.payment_url);
  await page.unroute("**/qr.svg*");
  for (const [name, start] of [
    ["PNG", "\x89PNG"],
    ["SVG", "<svg"],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${name.toLowerCase()}$`));
    expect((await readFile(await download.path(), "latin1")).slice(0, 200)).toContain(start);
  }
});

test("sharing uses the phone's own way, elsewhere mail and WhatsApp with the address filled in", {
  tag: "@phone",
}, async ({ page, shop, at, isMobile }) => {
  const link = await newLink(shop);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "share", {
      configurable: true,
      value: async (data: ShareData) => void Object.assign(window, { shared: data.url }),
    });
  });
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  await page.getByRole("button", { name: "Share" }).click();
  if (isMobile) {
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { shared?: string }).shared))
      .toBe(link.payment_url);
    return;
  }
  const encoded = encodeURIComponent(link.payment_url);
  expect(await page.getByRole("menuitem", { name: "E-mail" }).getAttribute("href")).toMatch(
    /^mailto:/,
  );
  expect(await page.getByRole("menuitem", { name: "E-mail" }).getAttribute("href")).toContain(
    encoded,
  );
  const whatsapp = await page.getByRole("menuitem", { name: "WhatsApp" }).getAttribute("href");
  expect(whatsapp).toMatch(/^https:\/\/wa\.me\/\?text=/);
  expect(whatsapp).toContain(encoded);
});

test("the preview is set in the font of the payer's page", async ({ page, shop, at }) => {
  const link = await newLink(shop);
  await arrive(page, at("/payment-links/new"), "New payment link");
  const shown = await page
    .getByRole("region", { name: "Preview of the payer’s page" })
    .locator(".body")
    .evaluate((body) => getComputedStyle(body).fontFamily);
  await page.goto(link.payment_url);
  const own = await page.locator("body").evaluate((body) => getComputedStyle(body).fontFamily);
  expect(shown).toBe(own);
  expect(shown).not.toContain("Inter");
});
