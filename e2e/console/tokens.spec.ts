import type { Tokenization } from "@/lib/contract/tokenizations";
import { newLink, newTokenization, payer } from "../shop";
import { expect, test } from "./fixtures";
import { saveMethod } from "./payer";
import { readQr } from "./qr";
import { arrive, choose, gate, pick, rowOf } from "./screen";

const list = "Tokens";

test("a token is issued, its address copied, and its state follows the payer without reloading", async ({
  page,
  context,
  shop,
  at,
  audit,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await arrive(page, at("/tokens/new"), "Issue token");
  const form = page.getByRole("form", { name: "Token" });
  await form.getByRole("button", { name: "Issue token" }).click();
  await expect(form.getByText("Title is required.")).toBeVisible();
  await expect(form.getByLabel("Title")).toBeFocused();
  await expect(form.getByText("E-mail is required.")).toBeVisible();
  await form.getByLabel("Title").fill("Gold membership");
  await form.getByLabel("Description").fill("The monthly fee");
  await form.getByLabel("E-mail").fill(payer);
  await form.getByLabel("Return address").fill("javascript:alert(1)");
  await form.getByRole("button", { name: "Issue token" }).click();
  await expect(form.getByText("Return address must be a valid URL.")).toBeVisible();
  await form.getByLabel("Return address").fill("");
  await form.getByRole("button", { name: "Issue token" }).click();

  const panel = page.getByRole("region", { name: "Token issued" });
  await expect(panel.getByRole("heading", { name: "Your activation link is ready" })).toBeFocused();
  const id = /tokens\/([0-9a-f]{24})/.exec(page.url())?.[1];
  const made = await shop.api.ok<Tokenization>("GET", `/tokenizations/${id}`);
  expect(page.url()).not.toContain(made.token);
  await panel.getByRole("button", { name: "Copy activation link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made.activation_url);
  await panel.getByRole("button", { name: "QR code" }).click();
  const dialog = page.getByRole("dialog", { name: "QR code" });
  const code = dialog.getByRole("img", { name: "QR code of the activation link Gold membership" });
  expect(await readQr(code)).toBe(made.activation_url);
  await audit(page);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: "PNG" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe(`${id}.png`);
  await page.keyboard.press("Escape");
  await audit(page);
  await saveMethod(made);
  await expect(
    page.getByText("Visa •••• 4242").or(page.getByText("visa •••• 4242")).first(),
  ).toBeVisible();
  await expect(page.getByRole("list", { name: "Timeline" })).toContainText("Activated");
  await expect(panel).toBeHidden();
});

test("an active token is charged from its row, and the payment says how it ended", async ({
  page,
  shop,
  at,
}) => {
  const token = await newTokenization(shop);
  await saveMethod(token);
  await arrive(page, at("/tokens"), list);
  await choose(page, rowOf(page, list, token.title), "Charge");
  const form = page.getByRole("form", { name: "Charge" });
  await form.getByLabel("Amount").fill("4.99");
  await form.getByRole("button", { name: "Charge…" }).click();
  await expect(form.getByText("Amount must be at least USD 5.00.")).toBeVisible();
  await expect(form.getByLabel("Amount")).toBeFocused();
  await form.getByLabel("Amount").fill("49");
  await pick(form.getByLabel("Currency"), "MYR");
  await form.getByLabel("Reference").fill("INV-12");
  await form.getByRole("button", { name: "Charge…" }).click();
  await page
    .getByRole("alertdialog", { name: "Charge MYR 49.00 to Visa 4242?" })
    .getByRole("button", { name: "Charge MYR 49.00" })
    .click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  await expect(page.getByText("MYR 49.00 charged")).toBeVisible();
  await page.goto(at(`/tokens/${token._id}`));
  await expect(page.getByRole("list", { name: "Payments" })).toContainText("MYR 49.00");
});

test("a charge begins in the currency that the business used last, and its payment shows the mails about the method", async ({
  page,
  shop,
  at,
}) => {
  const token = await newTokenization(shop);
  await saveMethod(token);
  const form = page.getByRole("form", { name: "Charge" });
  const begins = async (currency: string) => {
    await arrive(page, at(`/tokens/${token._id}/charge`), "Charge token");
    await expect(form.getByLabel("Currency")).toHaveValue(new RegExp(`^${currency}`));
  };
  await begins("USD");
  for (const currency of ["MYR", "SGD"]) {
    await newLink(shop, { currency });
    await begins(currency);
  }
  await form.getByLabel("Amount").fill("49");
  await form.getByRole("button", { name: "Charge…" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Charge SGD 49.00 to Visa 4242?" });
  await expect(dialog).toContainText(
    "This install has no mail server. Mails are kept under Mails.",
  );
  await expect(dialog).not.toContainText("receipt by e-mail");
  await dialog.getByRole("button", { name: "Charge SGD 49.00" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  const mails = page.getByRole("region", { name: "Mails about this saved method" });
  await expect(mails.getByRole("list", { name: "Mails" })).toContainText(payer);
});

test("the question before a token is revoked follows the payer, who saves a card meanwhile", async ({
  page,
  shop,
  at,
}) => {
  const token = await newTokenization(shop);
  await arrive(page, at("/tokens"), list);
  await choose(page, rowOf(page, list, token.title), "Revoke…");
  const dialog = page.getByRole("alertdialog", { name: `Revoke “${token.title}”?` });
  await expect(dialog).toContainText("The activation link");
  await saveMethod(token);
  await expect(dialog).toContainText("4242");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("revoking asks by name, shows at once, and is put back when the API refuses", async ({
  page,
  shop,
  at,
}) => {
  const token = await newTokenization(shop);
  await arrive(page, at(`/tokens/${token._id}`), token.title);
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("alertdialog", { name: `Revoke “${token.title}”?` });
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  const { open, opened } = gate();
  await page.route(`**/api/tokenizations/${token._id}`, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    await opened;
    await route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    });
  });
  const badge = page.getByRole("main").locator("h1 + span");
  await page.getByRole("button", { name: "Revoke…" }).click();
  await dialog.getByRole("button", { name: "Revoke token" }).click();
  await expect(badge).toHaveText("Revoked");
  open();
  await expect(page.getByText("Not saved: put back as it was").first()).toBeVisible();
  await expect(badge).toHaveText("Pending");
  await page.unroute(`**/api/tokenizations/${token._id}`);
  await page.getByRole("button", { name: "Revoke…" }).click();
  await dialog.getByRole("button", { name: "Revoke token" }).click();
  await expect(badge).toHaveText("Revoked");
  await expect
    .poll(
      async () => (await shop.api.ok<Tokenization>("GET", `/tokenizations/${token._id}`)).status,
    )
    .toBe("revoked");
  await expect(page.getByRole("button", { name: "Revoke…" })).toHaveCount(0);
});
