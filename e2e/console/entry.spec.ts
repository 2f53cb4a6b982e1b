import type { Page } from "@playwright/test";
import { mailedToken } from "@/tests/staff/office";
import { createUser } from "@/lib/domain/users/create";
import { newId } from "@/lib/kernel/ids";
import { expect, test } from "../fixtures";
import type { Install } from "../install";
import { newLink } from "../shop";
import { gate, notice } from "./screen";
import { joinShop, newStaff } from "./staff";

const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("E-mail").fill(email);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Writes the mail by which the person signed in confirms their address. It is kept: this install has no mail server, so no button asks for it. */
async function writeConfirmation(page: Page, install: Install, email: string): Promise<void> {
  await expect(page.getByText(`kutip user:reset ${email}`)).toBeVisible();
  await expect(page.getByRole("link", { name: "operator@kutip.example" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Send the mail" })).toHaveCount(0);
  const answer = await page.request.post(`${install.url}/api/auth/send-verification-email`, {
    data: { email },
    headers: { origin: new URL(install.url).origin },
  });
  expect(answer.status()).toBe(200);
}

test("signing in leads to where one wanted to be; signing out leaves nothing behind", async ({
  page,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  const wanted = `/b/${shop.id}/test/settings/team`;
  await page.goto(wanted);
  await heading(page, "Sign in");
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(form.getByText("E-mail is required.")).toBeVisible();
  await expect(form.getByLabel("E-mail")).toBeFocused();
  await fillSignIn(page, staff.email, "not the password at all");
  await expect(
    page.getByRole("alert").filter({ hasText: "The e-mail or the password is wrong." }),
  ).toBeVisible();
  await fillSignIn(page, staff.email, staff.password);
  await heading(page, "Team");
  expect(new URL(page.url()).pathname).toBe(wanted);

  const signOut = async () => {
    await page.getByRole("button", { name: /^Account: (?!loading)/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await page.route("**/api/auth/sign-out", (route) => route.abort("connectionreset"));
  await signOut();
  await expect(notice(page, "You are still signed in")).toBeVisible();
  await heading(page, "Team");
  await page.unroute("**/api/auth/sign-out");
  await signOut();
  await heading(page, "Sign in");
  await page.goto(wanted);
  await heading(page, "Sign in");
});

test("before the page's scripts are there a form sends nothing, and no password gets into the address", async ({
  browser,
  install,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${install.url}/sign-in`);
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("Password").fill("correct horse battery");
  await expect(form.getByRole("button", { name: "Sign in", exact: true })).toBeDisabled();
  await form.getByLabel("Password").press("Enter");
  await expect(form.getByLabel("Password")).toHaveValue("correct horse battery");
  expect(page.url()).toBe(`${install.url}/sign-in`);
  expect(await form.getAttribute("method")).toBe("post");
  await context.close();
});

test("a forgotten password is chosen anew by mail, once, and ends every session", async ({
  page,
  install,
  shop,
  browser,
  audit,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  const elsewhere = await browser.newContext();
  await elsewhere.addCookies([
    { ...staff.cookie, value: encodeURIComponent(staff.cookie.value), url: install.url },
  ]);
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await heading(page, "Forgot your password?");
  await expect(page.getByText("kutip user:reset ADDRESS")).toBeVisible();
  await expect(page.getByRole("link", { name: "operator@kutip.example" })).toBeVisible();
  await audit(page);
  // As where a mail server is set. The mail is kept here.
  await page.route("**/api/setup", (route) =>
    route.fulfill({
      json: {
        success: true,
        data: {
          empty: false,
          has_setup_code: false,
          sign_up: "closed",
          sends_mail: true,
          operator_contacts: [],
        },
      },
    }),
  );
  await page.reload();
  await page.getByLabel("E-mail").fill(staff.email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByRole("status").filter({ hasText: staff.email })).toBeVisible();

  const token = await mailedToken(staff.email, "account_reset");
  await page.goto(`/reset-password#${token}`);
  await heading(page, "Choose a new password");
  await audit(page);
  await page.getByRole("textbox", { name: "New password" }).fill("short");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password must be at least 12 characters.")).toBeVisible();
  await page.getByRole("textbox", { name: "New password" }).fill("another horse entirely");
  await page.getByRole("button", { name: "Change password" }).click();
  await heading(page, "Sign in");
  await fillSignIn(page, staff.email, staff.password);
  await expect(
    page.getByRole("alert").filter({ hasText: "The e-mail or the password is wrong." }),
  ).toBeVisible();
  await fillSignIn(page, staff.email, "another horse entirely");
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test$`));

  const other = await elsewhere.newPage();
  await other.goto(`${install.url}/b/${shop.id}/test/settings`);
  await heading(other, "Sign in");
  await elsewhere.close();

  await page.goto(`/reset-password#${token}`);
  await page.getByRole("textbox", { name: "New password" }).fill("a third horse by now");
  await page.getByRole("button", { name: "Change password" }).click();
  await heading(page, "This link does not work");
  await audit(page);
  // The mail that came last is opened in the same tab: its link is another one.
  await page.evaluate(() => window.location.replace("#another-token"));
  await heading(page, "Choose a new password");
  await page.getByRole("textbox", { name: "New password" }).fill("a third horse by now");
  await page.getByRole("button", { name: "Change password" }).click();
  await heading(page, "This link does not work");
  await page.getByRole("link", { name: "Send a new one" }).click();
  await heading(page, "Forgot your password?");
});

test("a link that is cut off says so and offers another", async ({ page, audit }) => {
  for (const [path, title] of [
    ["/reset-password", "This link does not work"],
    ["/verify-email", "This link does not work"],
    ["/invitation", "This invitation does not work"],
  ] as const) {
    await page.goto(path);
    await heading(page, title);
    await audit(page);
  }
  await page.goto("/verify-email#nonsense");
  await heading(page, "Confirm your address");
  await audit(page);
  await page.getByRole("button", { name: "Confirm my address" }).click();
  await heading(page, "This link does not work");
  await page.goto("/invitation#nonsense");
  await heading(page, "This invitation does not work");
});

test("a one-time link is not called gone while Kutip cannot be reached or takes no more calls, and can be tried again", async ({
  page,
}) => {
  const alert = (text: string) => page.getByRole("alert").filter({ hasText: text });
  const retry = page.getByRole("button", { name: "Retry" });
  const verifying = "**/api/auth/verify-email?*";
  await page.route(verifying, (route) => route.abort("connectionreset"));
  await page.goto("/verify-email#nonsense");
  const confirm = page.getByRole("button", { name: "Confirm my address" });
  await confirm.click();
  await expect(alert("Kutip cannot be reached.")).toBeVisible();
  await heading(page, "Confirm your address");
  await page.unroute(verifying);
  await confirm.click();
  await heading(page, "This link does not work");

  await page.route("**/api/setup", (route) =>
    route.fulfill({
      json: {
        success: true,
        data: {
          empty: false,
          has_setup_code: false,
          sign_up: "open",
          sends_mail: true,
          operator_contacts: [],
        },
      },
    }),
  );
  const looking = "**/api/invitations/look-up";
  for (const [path, title] of [
    ["/invitation", "This invitation does not work"],
    ["/sign-up", "This link does not work"],
  ] as const) {
    await page.route(looking, (route) =>
      route.fulfill({
        status: 429,
        json: { message: "Too many calls.", code: "too_many_requests", errors: {} },
      }),
    );
    await page.goto(`${path}#nonsense`);
    await expect(alert("Too many calls.")).toBeVisible();
    await expect(page.getByRole("heading", { name: title })).toHaveCount(0);
    await page.unroute(looking);
    await retry.click();
    await heading(page, title);
  }
});

test("an account opens nothing until the link in its mail is opened, which can be sent again", async ({
  page,
  install,
  shop,
  audit,
}) => {
  const staff = await newStaff(install, "Ana Costa", false);
  await joinShop(staff, shop);
  await page.goto(`/sign-in?next=/b/${shop.id}/test/settings/security`);
  await fillSignIn(page, staff.email, staff.password);
  await heading(page, "Confirm your address");
  await audit(page);
  await writeConfirmation(page, install, staff.email);
  await page.goto(`/verify-email#${await mailedToken(staff.email, "account_verification")}`);
  await expect(page.getByText(`You are signed in as ${staff.email}.`)).toBeVisible();
  await page.getByRole("button", { name: "Confirm my address" }).click();
  await heading(page, "Overview");
  await page.goto(`/b/${shop.id}/test/settings/security`);
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
});

test("confirmed in another browser, an account gets a new password and its sessions end", async ({
  page,
  browser,
  install,
  shop,
}) => {
  const staff = await newStaff(install, "Ana Costa", false);
  await joinShop(staff, shop);
  await page.goto("/sign-in");
  await fillSignIn(page, staff.email, staff.password);
  await writeConfirmation(page, install, staff.email);
  const phone = await browser.newContext();
  const theirs = await phone.newPage();
  const token = await mailedToken(staff.email, "account_verification");
  await theirs.goto(`${install.url}/verify-email#${token}`);
  await expect(theirs.getByText(/You are not signed in in this browser/)).toBeVisible();
  await theirs.getByRole("button", { name: "Confirm my address" }).click();
  await heading(theirs, "Choose a new password");
  await theirs.getByRole("textbox", { name: "New password" }).fill("password1234");
  await theirs.getByRole("button", { name: "Change password" }).click();
  await expect(theirs.getByText("Password is too easy to guess.")).toBeVisible();
  await theirs.getByRole("textbox", { name: "New password" }).fill("another horse entirely");
  await theirs.getByRole("button", { name: "Change password" }).click();
  await heading(theirs, "Sign in");
  await fillSignIn(theirs, staff.email, "another horse entirely");
  await heading(theirs, "Overview");
  await page.goto("/");
  await heading(page, "Sign in");
  await phone.close();
});

test("an empty install without a setup code names the command for the first business", async ({
  page,
  shop: _,
  audit,
}) => {
  const install = (empty: boolean) => ({
    success: true,
    data: {
      empty,
      has_setup_code: false,
      sign_up: "closed",
      sends_mail: false,
      operator_contacts: [],
    },
  });
  await page.route("**/api/setup", (route) => route.fulfill({ json: install(true) }));
  await page.goto("/setup");
  await heading(page, "Set up Kutip");
  await expect(page.getByText("kutip business:create")).toBeVisible();
  await expect(page.getByRole("form")).toHaveCount(0);
  await audit(page);
  await page.unroute("**/api/setup");
  await page.getByRole("button", { name: "Check again" }).click();
  await heading(page, "This Kutip is set up");
});

test("a person without a business sees whom to ask", async ({ page, shop: _ }) => {
  const email = `alone.${newId()}@example.com`;
  await createUser({
    email,
    password: "correct horse battery",
    name: "Alone",
    emailVerified: true,
  });
  await page.goto("/sign-in");
  await fillSignIn(page, email, "correct horse battery");
  await heading(page, "You’re not in any business yet");
});

test("text typed into the sign-in form before its scripts run stays, and is sent", async ({
  page,
}) => {
  const { open, opened } = gate();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await opened;
    await route.continue();
  });
  const arrived = page.goto("/sign-in", { waitUntil: "commit" });
  const email = page.getByRole("textbox", { name: "E-mail" });
  await email.fill("a@example.com");
  open();
  await arrived;
  const button = page.getByRole("button", { name: "Sign in", exact: true });
  await expect(button).toBeEnabled();
  await expect(email).toHaveValue("a@example.com");
  await page.getByLabel("Password").fill("no password");
  const [request] = await Promise.all([
    page.waitForRequest("**/api/auth/sign-in/email"),
    button.click(),
  ]);
  expect(request.postDataJSON()).toMatchObject({ email: "a@example.com" });
});

test("a session that ends elsewhere takes the payers off every open page, also one that is only looked at", async ({
  page,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await newLink(shop, { title: "Chairs" });
  await page.goto(`/sign-in?next=/b/${shop.id}/test/payment-links`);
  await fillSignIn(page, staff.email, staff.password);
  await heading(page, "Payment links");
  const other = await page.context().newPage();
  const live = other.waitForResponse(/\/api\/stream\?/);
  await other.goto(`${install.url}/b/${shop.id}/test/payment-links`);
  await heading(other, "Payment links");
  await expect(other.getByText("Chairs").first()).toBeVisible();
  await live;
  await page.request.post(`${install.url}/api/auth/sign-out`, {
    data: {},
    headers: { origin: new URL(install.url).origin },
  });
  await heading(other, "Sign in");
  await expect(other.getByText("Chairs")).toHaveCount(0);
});
