import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { addressIn, open } from "./furnished";
import { arrive, goBack } from "./screen";

type Opened = {
  name: string | RegExp;
  role?: "alertdialog" | "dialog" | "menu";
  by: (page: Page) => Promise<unknown>;
  leave?: (page: Page) => Promise<unknown> /** Under the next one. */;
  stays?: boolean;
};

const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
const key = (keys: string) => (page: Page) => page.keyboard.press(keys);
/** Opens the menu that this button has, and presses an entry. */
const entry =
  (name: string, button: string | RegExp = /^Actions for/) =>
  async (page: Page) => {
    await press(button)(page);
    await page.getByRole("menuitem", { name, exact: true }).click();
  };

/** What opens over a page, in the order in which it is opened there. */
const over: Record<string, Opened[]> = {
  "": [
    { role: "menu", name: /^Range/, by: press(/^Range:/) },
    { name: "Range", by: entry("Choose days…", /^Range:/) },
    { role: "menu", name: /^Account/, by: press(/^Account: (?!loading)/) },
    { role: "menu", name: /^Business/, by: press(/^Business: (?!loading)/) },
  ],
  "/payment-links": [
    { name: "Search", by: key("Control+k") },
    { name: "Keyboard shortcuts", by: key("?") },
    { name: "More filters", by: press("More filters") },
    { role: "menu", name: /^Actions for/, by: press(/^Actions for/) },
    { role: "alertdialog", name: /^Delete “/, by: entry("Delete…", /^Actions for A title/) },
  ],
  "/payment-links/new": [
    {
      role: "alertdialog",
      name: "Leave without saving?",
      by: async (page) => {
        await page.getByRole("form", { name: "Payment link" }).getByLabel("Title").fill("Unsaved");
        await page.getByRole("link", { name: "Cancel" }).click();
      },
    },
  ],
  "/payment-links/[payment_link_id]": [
    { name: "QR code", by: press("QR code") },
    { role: "menu", name: "Share", by: press("Share") },
    {
      name: /asks you to pay/,
      by: (page) =>
        page.getByRole("list", { name: "Mails" }).getByRole("button", { name: "Preview" }).click(),
    },
  ],
  "/payments/[succeeded_id]": [{ name: /^Refund “/, by: press("Refund") }],
  "/packages/[package_id]": [
    { role: "alertdialog", name: /^Delete “/, by: entry("Delete…", "More actions") },
  ],
  "/subscriptions/[subscription_id]": [
    { role: "alertdialog", name: /^Cancel the subscription/, by: press("Cancel subscription…") },
    { role: "alertdialog", name: /^Delete the subscription/, by: entry("Delete…", "More actions") },
  ],
  "/tokens/[token_id]": [{ role: "alertdialog", name: /^Revoke “/, by: press("Revoke…") }],
  "/developers": [
    { name: /^Roll “/, by: entry("Roll…") },
    { role: "alertdialog", name: /^Revoke “/, by: entry("Revoke…") },
    { name: "New test key", by: press("Create key") },
    {
      name: "Your new key",
      stays: true,
      by: async (page) => {
        await press("Create key")(page);
        await page.getByRole("form", { name: "New API key" }).getByLabel("Name").fill("Looked at");
        await page
          .getByRole("form", { name: "New API key" })
          .getByRole("button", { name: "Create key" })
          .click();
      },
    },
    {
      role: "alertdialog",
      name: "You won’t see it again",
      by: key("Escape"),
      leave: press("I’ve saved it"),
    },
  ],
  "/settings/team": [
    { name: "Invite a teammate", by: press("Invite") },
    { name: /^Role of/, by: entry("Change role…") },
    { role: "alertdialog", name: "Leave this business?", by: entry("Leave…") },
  ],
  "/settings/shop-plugins": [{ name: /^Connect a shop plugin/, by: press("Connect a plugin") }],
  "/settings/shop-plugins/[integration_id]": [
    { role: "alertdialog", name: "Create a new password?", by: press("New password…") },
    { role: "alertdialog", name: "Replace the keys?", by: press("Replace keys…") },
    { role: "alertdialog", name: /^Revoke “/, by: press("Revoke…") },
  ],
  "/settings/signing-secret": [
    { role: "alertdialog", name: /^Roll the signing secret/, by: press("Roll…") },
  ],
  "/settings/security": [
    { name: "Set up an authenticator app", by: press("Set up an authenticator app…") },
    { name: "Add a passkey", by: press("Add a passkey…") },
    { role: "alertdialog", name: "Sign out everywhere?", by: press("Sign out everywhere") },
  ],
};

for (const [path, opened] of Object.entries(over)) {
  test(`what opens over ${path || "the overview"} breaks no rule of accessibility in light or dark, and is left by Escape`, async ({
    page,
    furnished: { shop, ids },
    audit,
  }) => {
    await open(page, addressIn(`/b/${shop.id}/test${path}`, ids));
    for (const { name, role = "dialog", by, leave = key("Escape"), stays } of opened) {
      await by(page);
      const box = page.getByRole(role, { name });
      await expect(box).toBeVisible();
      await expect(box.locator("[aria-busy=true]")).toHaveCount(0);
      await audit(page);
      if (stays) continue;
      await leave(page);
      await expect(box).toBeHidden();
    }
  });
}

/** Opens a page of the dashboard after another, by a link. */
async function go(page: Page, from: string, link: string, heading: string): Promise<void> {
  await arrive(page, from, "Payment links");
  await page.getByRole("link", { name: link, exact: true }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeVisible();
}

test("a dialog asks before what was written in it is lost: by Escape, beside it, by its cross or by Back", async ({
  page,
  furnished: { shop },
}) => {
  await go(page, `/b/${shop.id}/test/payment-links`, "Settings", "Business");
  await page.getByRole("link", { name: "Team", exact: true }).click();
  await press("Invite")(page);
  const dialog = page.getByRole("dialog", { name: "Invite a teammate" });
  const mail = dialog.getByLabel("E-mail");
  await mail.fill("ana@example.com");
  const asked = page.getByRole("alertdialog", { name: "Discard what you wrote?" });
  for (const go of [
    key("Escape"),
    () => page.mouse.click(5, 5),
    () => dialog.getByRole("button", { name: "Close" }).click(),
    goBack,
    goBack,
  ]) {
    await go(page);
    await expect(asked).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(asked).toBeHidden();
    await expect(mail).toHaveValue("ana@example.com");
  }
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(mail).toHaveValue("ana@example.com");
  await mail.focus();
  await page.keyboard.press("Escape");
  await asked.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
  await press("Invite")(page);
  await expect(mail).toHaveValue("");
  await mail.fill("ana@example.com");
  await goBack(page);
  await asked.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("heading", { level: 1, name: "Team" })).toBeVisible();
  // One press leaves a page that has nothing to lose.
  await goBack(page);
  await expect(page.getByRole("heading", { level: 1, name: "Business" })).toBeVisible();
});

test("Back asks before a secret that is shown once is lost, and its page is left by one press afterwards", async ({
  page,
  furnished: { shop },
}) => {
  await go(page, `/b/${shop.id}/test/payment-links`, "Developers", "API keys");
  await press("Create key")(page);
  const form = page.getByRole("form", { name: "New API key" });
  await form.getByLabel("Name").fill("Kept");
  await form.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog", { name: "Your new key" });
  const asked = page.getByRole("alertdialog", { name: "You won’t see it again" });
  await expect(shown).toBeVisible();
  for (const answer of ["Go back", "I’ve saved it"]) {
    await goBack(page);
    await expect(asked).toBeVisible();
    await goBack(page);
    await asked.getByRole("button", { name: answer }).click();
    await expect(asked).toBeHidden();
    await expect(shown).toBeVisible({ visible: answer === "Go back" });
  }
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await goBack(page);
  await expect(page.getByRole("heading", { level: 1, name: "Payment links" })).toBeVisible();
});

test("the way that follows a secret is kept by the history: its record, and from there back to the list", async ({
  page,
  furnished: { shop },
}) => {
  await go(page, `/b/${shop.id}/test/payment-links`, "Developers", "API keys");
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await press("Add endpoint")(page);
  const form = page.getByRole("form", { name: "New webhook endpoint" });
  await form.getByLabel("Address").fill("https://shop.example/hooks");
  await form.getByRole("button", { name: "Create endpoint" }).click();
  await expect(page.getByRole("dialog", { name: "Your endpoint’s secret" })).toBeVisible();
  await goBack(page);
  await press("I’ve saved it")(page);
  await expect(page).toHaveURL(/\/developers\/webhooks\/\w+$/);
  await expect(page.getByRole("heading", { level: 1, name: "shop.example" })).toBeVisible();
  await goBack(page);
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
  await goBack(page);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});
