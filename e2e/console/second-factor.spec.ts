import type { Page } from "@playwright/test";
import { codeOf, secretOf } from "@/tests/staff/totp";
import { expect, test } from "../fixtures";
import { joinShop, newStaff, type Staff } from "./staff";

const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

async function signIn(page: Page, { email, password }: Staff): Promise<void> {
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("E-mail").fill(email);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
  await page
    .getByRole("alertdialog", { name: "Sign out everywhere?" })
    .getByRole("button", { name: "Sign out" })
    .click();
  await heading(page, "Sign in");
}

async function secondStep(
  page: Page,
  label: "Code" | "Recovery code",
  code: string,
): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("an authenticator app is set up by its QR code; then the password alone opens nothing, and each recovery code opens once", async ({
  page,
  install,
  shop,
  audit,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  const security = `/b/${shop.id}/test/settings/security`;
  await page.goto(`/sign-in?next=${security}`);
  await signIn(page, staff);
  await heading(page, "Security");

  await page.getByRole("button", { name: "Set up an authenticator app…" }).click();
  const setup = page.getByRole("dialog", { name: "Set up an authenticator app" });
  await setup.getByRole("textbox", { name: "Your password" }).fill("not my password");
  await setup.getByRole("button", { name: "Continue" }).click();
  await expect(setup.getByText("This is not your password.")).toBeVisible();
  await setup.getByRole("textbox", { name: "Your password" }).fill(staff.password);
  await setup.getByRole("button", { name: "Continue" }).click();
  await expect(setup.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await audit(page);
  const secret = secretOf(
    `otpauth://totp/x?secret=${(await setup.getByRole("code").textContent())?.trim()}`,
  );
  await setup.getByRole("textbox", { name: "Code" }).fill("000000");
  await setup.getByRole("button", { name: "Turn on" }).click();
  await expect(setup.getByText("This is not the code the app shows now.")).toBeVisible();
  await setup.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await setup.getByRole("button", { name: "Turn on" }).click();

  const shown = page.getByRole("dialog", { name: "Your recovery codes" });
  const listed = shown.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(listed).toHaveCount(10);
  const codes = await listed.allTextContents();
  expect(codes).toHaveLength(10);
  await audit(page);
  await shown.getByRole("button", { name: "Close" }).click();
  await page
    .getByRole("alertdialog", { name: "You won’t see it again" })
    .getByRole("button", { name: "I’ve saved it" })
    .click();
  await expect(shown).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Turn off…" })).toBeVisible();
  await signOut(page);

  await signIn(page, staff);
  await heading(page, "Enter the code");
  await audit(page);
  await page.goto(security);
  await heading(page, "Sign in");
  await signIn(page, staff);
  await heading(page, "Enter the code");
  // The step after the one that set it up, so that it is not a used one.
  await secondStep(page, "Code", codeOf(secret, 1));
  await heading(page, "Security");
  await signOut(page);

  await signIn(page, staff);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await secondStep(page, "Recovery code", codes[0] ?? "");
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test(/settings/security)?$`));
  await page.goto(security);
  await page.getByRole("button", { name: "Turn off…" }).click();
  await page
    .getByRole("dialog")
    .getByRole("textbox", { name: "Your password" })
    .fill(staff.password);
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  await expect(page.getByRole("button", { name: "Set up an authenticator app…" })).toBeVisible();
  await signOut(page);
  await signIn(page, staff);
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test(/settings/security)?$`));
});

test("a recovery code opens once, and new codes end the old ones", async ({
  page,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  const security = `/b/${shop.id}/test/settings/security`;
  await page.goto(`/sign-in?next=${security}`);
  await signIn(page, staff);
  await page.getByRole("button", { name: "Set up an authenticator app…" }).click();
  await page.getByRole("textbox", { name: "Your password" }).fill(staff.password);
  await page.getByRole("button", { name: "Continue" }).click();
  await page
    .getByRole("textbox", { name: "Code" })
    .fill(
      codeOf(
        secretOf(
          `otpauth://totp/x?secret=${(await page.getByRole("dialog").getByRole("code").textContent())?.trim()}`,
        ),
      ),
    );
  await page.getByRole("button", { name: "Turn on" }).click();
  const codesShown = async () => {
    const listed = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await expect(listed).toHaveCount(10);
    const codes = await listed.allTextContents();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "I’ve saved it" }).click();
    return codes;
  };
  const [used = "", old = "", kept = ""] = await codesShown();
  const enter = async (code: string) => {
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await secondStep(page, "Recovery code", code);
  };
  await signOut(page);
  await signIn(page, staff);
  await enter(used);
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test(/settings/security)?$`));
  await page.goto(security);
  // Who only looks keeps the old codes.
  await page.getByRole("button", { name: "New recovery codes…" }).click();
  await expect(page.getByText("Your old codes then stop working.")).toBeVisible();
  await page.keyboard.press("Escape");
  await signOut(page);
  await signIn(page, staff);
  await enter(kept);
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test(/settings/security)?$`));
  await page.goto(security);
  await page.getByRole("button", { name: "New recovery codes…" }).click();
  await page.getByRole("textbox", { name: "Your password" }).fill(staff.password);
  await page.getByRole("button", { name: "Create new codes" }).click();
  const [fresh = ""] = await codesShown();
  await signOut(page);
  await signIn(page, staff);
  for (const code of [used, old]) {
    await page
      .getByRole("button", { name: "Use a recovery code" })
      .or(page.getByLabel("Recovery code", { exact: true }))
      .first()
      .waitFor();
    if (await page.getByRole("button", { name: "Use a recovery code" }).isVisible())
      await page.getByRole("button", { name: "Use a recovery code" }).click();
    await secondStep(page, "Recovery code", code);
    await expect(page.getByRole("alert").filter({ hasText: /invalid/i })).toBeVisible();
  }
  await secondStep(page, "Recovery code", fresh);
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/test(/settings/security)?$`));
});

test("a passkey is added, named, signs in without password and opens nothing once it is removed", async ({
  page,
  context,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  const devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const security = `/b/${shop.id}/test/settings/security`;
  await page.goto(`/sign-in?next=${security}`);
  await signIn(page, staff);
  await page.getByRole("button", { name: "Add a passkey…" }).click();
  await expect(page.getByRole("dialog").getByLabel("Name")).toHaveValue(/Chrome on/);
  await page.getByRole("dialog").getByLabel("Name").fill("Blue phone");
  await page.getByRole("button", { name: "Add passkey" }).click();
  const passkeys = page.getByRole("list", { name: "Passkeys" });
  await expect(passkeys.getByText("Blue phone")).toBeVisible();
  await passkeys.getByRole("button", { name: "Actions for Blue phone" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Red phone");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(passkeys.getByText("Red phone")).toBeVisible();
  await signOut(page);

  await page.goto(`/sign-in?next=${security}`);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await heading(page, "Security");
  await page.getByRole("button", { name: "Actions for Red phone" }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page
    .getByRole("alertdialog", { name: "Remove “Red phone”?" })
    .getByRole("button", { name: "Remove passkey" })
    .click();
  await expect(page.getByText("You have none yet.")).toBeVisible();
  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("alert").filter({ hasText: /passkey/i })).toBeVisible();
});
