import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../fixtures";
import { mailedToken } from "@/tests/staff/office";
import { join, sharedInstall } from "../install";
import { type EmptyInstall, startEmpty } from "../service";

// One install: set up by the first test and used by the second.
test.describe.configure({ mode: "default" });

let install: EmptyInstall;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  install = await startEmpty({
    LOG_LEVEL: "fatal",
    SIGN_UP: "open",
    SMTP_URL: "smtp://127.0.0.1:9",
  });
});
test.afterAll(() => install?.stop());

const MAX_PRESSES = 60;
const focused = (target: Locator) =>
  target.evaluate((element) => element === document.activeElement);

/** Goes to something by the Tab key alone. */
async function tabTo(target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    if (await focused(target)) return;
    await target.page().keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

async function press(target: Locator): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press("Enter");
}

async function write(target: Locator, text: string): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.type(text);
}

const heading = (page: Page, name: string | RegExp) =>
  expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
const badge = (page: Page) => page.locator("h1 + span");
const email = "ana@example.com";
// What a dialog says of mails in test mode, where the install has a mail server.
const teamOnly = "In test mode only team members with a confirmed address get mails.";

test("the code printed at the start creates the first business, once, with the keyboard alone", async ({
  page,
  browser,
  audit,
}) => {
  const { url, code } = install;
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await page.goto(url);
  await heading(page, "Set up Kutip");
  expect(page.url()).toBe(`${url}/setup`);
  await audit(page);
  await write(field("Setup code"), "wrong-wrong-wrong-wrong");
  await write(field("Business name"), "Kedai Pertama");
  await write(page.getByLabel("Default currency"), "MYR");
  await write(field("Your name"), "Siti Aminah");
  await write(field("E-mail"), "first@example.com");
  await write(field("Password"), "a long sentence nobody guesses 27");
  await page.keyboard.press("Enter");
  await expect(field("Setup code")).toBeFocused();
  await expect(field("Setup code")).toHaveAccessibleDescription(
    /Setup code is not the one printed at the last start\./,
  );
  await audit(page);
  await page.keyboard.press("Control+a");
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
  await heading(page, "Overview");
  await expect(page.getByRole("list", { name: "First steps" })).toBeVisible();

  const other = await browser.newContext();
  const late = await other.newPage();
  await late.goto(`${url}/setup`);
  await heading(late, "This Kutip is set up");
  await expect(late.getByRole("form")).toHaveCount(0);
  await audit(late);
  const again = {
    code,
    business_name: "Second",
    name: "Eve",
    email: "eve@example.com",
    password: "a long sentence nobody guesses 28",
    default_currency: "MYR",
    time_zone: "UTC",
  };
  expect(
    (
      await other.request.post(`${url}/api/setup`, { data: again, headers: { origin: url } })
    ).status(),
  ).toBe(403);
  await other.close();
});

test("a new person signs up, is paid by a link, issues a token, subscribes a payer and cancels, with the keyboard alone", async ({
  page,
  browser,
  context,
}) => {
  test.setTimeout(120_000);
  const { url } = install;
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  // Another person's window, without the session.
  const other = await browser.newContext();
  const payer = await other.newPage();

  await page.goto(`${url}/sign-up`);
  await write(field("E-mail"), "owner@example.com");
  await page.keyboard.press("Enter");
  await heading(page, "Check your e-mail");
  await join(install);
  const token = await mailedToken("owner@example.com", "account_invitation");
  await join(sharedInstall());
  await page.goto(`${url}/sign-up#${token}`);
  await page.reload();
  await write(field("Business name"), "Kedai Ana");
  await write(page.getByLabel("Default currency"), "MYR");
  await write(field("Your name"), "Ana Costa");
  await write(field("Password"), "a long sentence nobody guesses 27");
  await page.keyboard.press("Enter");
  await heading(page, "Overview");
  await expect(page.getByRole("list", { name: "First steps" })).toBeVisible();

  await page.keyboard.press("c");
  await heading(page, "New payment link");
  await write(field("Title"), "Invoice 1");
  await write(field("Amount"), "125.50");
  await expect(field("Currency")).toHaveValue(/^MYR/);
  await write(page.getByRole("form").getByRole("textbox", { name: "E-mail" }), email);
  await press(button("Create payment link"));
  await expect(page.getByRole("heading", { name: "Your payment link is ready" })).toBeFocused();
  await press(button("Copy payment link"));
  await expect(button("Copied")).toBeVisible();
  const paymentUrl = await copied();
  expect(paymentUrl).toMatch(new RegExp(`^${url}/pay\\?id=[0-9a-f]{24}&test=true$`));

  await payer.goto(paymentUrl);
  await press(payer.getByRole("button", { name: /^Pay / }));
  await press(payer.getByRole("button", { name: "Approve", exact: true }));
  await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  await expect(badge(page)).toHaveText("Paid");

  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await heading(page, "Tokens");
  await press(page.getByRole("link", { name: "Issue token" }));
  await heading(page, "Issue token");
  await write(field("Title"), "Membership");
  await write(field("Description"), "Your card for the monthly fee");
  await write(page.getByRole("form").getByRole("textbox", { name: "E-mail" }), email);
  await press(button("Issue token"));
  await press(button("Copy activation link"));
  await expect(button("Copied")).toBeVisible();
  await payer.goto(await copied());
  await press(payer.getByRole("button", { name: "Save payment method" }));
  await press(payer.getByRole("button", { name: "Approve", exact: true }));
  await expect(payer.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  await expect(badge(page)).toHaveText("Active");
  const chargeForm = `${page.url().replace(/[?#].*/, "")}/charge`;

  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await heading(page, "Packages");
  await press(page.getByRole("link", { name: "Create package" }));
  await heading(page, "New package");
  await write(field("Name"), "Gold membership");
  await write(field("Amount"), "49");
  await press(button("Create package"));
  await heading(page, "Gold membership");

  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await heading(page, "Subscriptions");
  await press(page.getByRole("link", { name: "Subscribe someone" }));
  await heading(page, "Subscribe someone");
  await write(page.getByRole("form").getByRole("textbox", { name: "E-mail" }), email);
  await press(page.getByRole("button", { name: /^Subscribe and charge/ }));
  await press(page.getByRole("alertdialog").getByRole("button", { name: /^Subscribe and charge/ }));
  await heading(page, email);
  await expect(badge(page)).toHaveText("Active");

  await press(button("Cancel subscription…"));
  const dialog = page.getByRole("alertdialog", { name: `Cancel the subscription of ${email}?` });
  await expect(dialog).toContainText("Past payments stay paid");
  await expect(dialog).toContainText(teamOnly);
  await press(dialog.getByRole("button", { name: "Cancel subscription" }));
  await expect(badge(page)).toHaveText("Cancelled");
  await expect(page.getByText("None: it is cancelled")).toBeVisible();

  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await heading(page, "Overview");
  await expect(page.getByRole("img", { name: /: MYR 174\.50 in 2 payments\.$/ })).toBeVisible();

  await page.goto(chargeForm);
  await write(field("Amount"), "10");
  await press(button("Charge…"));
  const charge = page.getByRole("alertdialog", { name: /^Charge MYR 10\.00 to / });
  await expect(charge).toContainText(teamOnly);
  await expect(charge).not.toContainText("no mail server");
  await other.close();
});
