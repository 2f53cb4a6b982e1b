import type { BrowserContext, Page } from "@playwright/test";
import { expect, test } from "../fixtures";
import { signIn } from "./fixtures";
import { enter, joinShop, newStaff } from "./staff";

const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

test("every browser one is signed in with is listed, and ends when it is signed out", async ({
  page,
  context,
  browser,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await signIn(context, staff, install);
  const security = `${install.url}/b/${shop.id}/test/settings/security`;
  const from = async (userAgent: string) => {
    const other = await browser.newContext({ userAgent });
    await signIn(other, { ...staff, cookie: await enter(install, staff, userAgent) }, install);
    return other;
  };
  const expectSeen = async (other: BrowserContext, title: string) => {
    const tab = await other.newPage();
    await tab.goto(security);
    await heading(tab, title);
    await tab.close();
  };
  const laptop = await from(
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0",
  );
  const phone = await from(
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  );

  await page.goto(security);
  const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await expect(sessions).toHaveCount(3);
  await expect(sessions.filter({ hasText: "This one" })).toHaveCount(1);
  await page.getByRole("button", { name: "Sign out Firefox on Windows" }).click();
  await expect(sessions).toHaveCount(2);
  await expectSeen(laptop, "Sign in");
  await expectSeen(phone, "Security");

  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page
    .getByRole("alertdialog", { name: "Sign out everywhere else?" })
    .getByRole("button", { name: "Sign out" })
    .click();
  await expect(sessions).toHaveCount(1);
  await expectSeen(phone, "Sign in");
  await page.reload();
  await heading(page, "Security");
  await laptop.close();
  await phone.close();
});

test("a session that cannot be ended comes back to the list", async ({
  page,
  context,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await signIn(context, staff, install);
  await enter(install, staff, "curl/8.5.0");
  await page.route(/\/api\/me\/sessions\/.+/, (route) =>
    route.fulfill({
      status: 500,
      json: { message: "Something went wrong.", code: "internal", errors: {} },
    }),
  );
  await page.goto(`/b/${shop.id}/test/settings/security`);
  await page.getByRole("button", { name: "Sign out curl" }).click();
  await expect(page.getByText("Not saved: put back as it was").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign out curl" })).toBeVisible();
});

test("the password is changed with the present one, and the name shows wherever one is named", async ({
  page,
  context,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await signIn(context, staff, install);
  await page.goto(`/b/${shop.id}/test/settings/security`);
  const form = page.getByRole("form", { name: "Change password" });
  await form.getByLabel("Current password").fill("not the present one");
  await form.getByRole("textbox", { name: "New password" }).fill("tiny");
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(form.getByText("New password must be at least 12 characters.")).toBeVisible();
  await form.getByRole("textbox", { name: "New password" }).fill("a wholly new password");
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(form.getByText("This is not your password.")).toBeVisible();
  await expect(form.getByLabel("Current password")).toBeFocused();
  await form.getByLabel("Current password").fill(staff.password);
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Your password is changed")).toBeVisible();
  await expect(form.getByRole("textbox", { name: "New password" })).toHaveValue("");

  const name = page.getByRole("form", { name: "Your name" });
  await name.getByLabel("Name").fill("Mei Ling Tan");
  await name.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Your name is changed")).toBeVisible();
  await page.goto(`/b/${shop.id}/test/settings/team`);
  await expect(page.getByText("Mei Ling Tan").first()).toBeVisible();
});
