import type { Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { db } from "@/db/client";
import { users } from "@/db/schema/auth";
import { apiKeys } from "@/db/schema/businesses";
import { createKey } from "@/lib/domain/api-keys/create";
import { mailedToken } from "@/tests/staff/office";
import { newId } from "@/lib/kernel/ids";
import { expect, signIn, test } from "./fixtures";
import { arrive, choose, notice, rowOf, rowsOf } from "./screen";
import { joinShop, newStaff } from "./staff";

/** Where no mail goes, the link is shown as soon as the invitation is made. */
async function closeLink(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Invitation link" });
  await expect(dialog.getByText(/\/invitation#/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

test("a person is invited by mail, joins in a browser of their own, gets another role and is removed", async ({
  page,
  browser,
  install,
  shop,
  at,
  audit,
}) => {
  const email = `ben.${newId()}@example.com`;
  await arrive(page, at("/settings/team"), "Team");
  await page.getByRole("button", { name: "Invite" }).click();
  const form = page.getByRole("form", { name: "Invitation" });
  await form.getByRole("button", { name: "Create invitation" }).click();
  await expect(form.getByText("E-mail is required.")).toBeVisible();
  await expect(form.getByLabel("E-mail")).toBeFocused();
  await audit(page);
  await form.getByLabel("E-mail").fill(email);
  await form.getByRole("radio", { name: /^Viewer/ }).check();
  await form.getByRole("button", { name: "Create invitation" }).click();
  await closeLink(page);
  await expect(rowOf(page, "Invitations", email)).toContainText("Viewer");
  await expect(rowOf(page, "Invitations", email)).toContainText(
    "This install has no mail server. Copy the link from the menu.",
  );
  await expect(notice(page, "Invitation created, not mailed")).toBeVisible();
  await expect(page.getByRole("region", { name: "No mail server" })).toBeVisible();
  const invitations = page.getByRole("region", { name: "Invitations" });
  await expect(invitations).toContainText("This install sends no mail.");
  await expect(invitations.getByText("Created", { exact: true }).first()).toBeAttached();
  await expect(invitations.getByText("Sent", { exact: true })).toHaveCount(0);

  const theirs = await browser.newContext();
  const other = await theirs.newPage();
  await other.goto(`${install.url}/invitation#${await mailedToken(email, "account_invitation")}`);
  await expect(other.getByRole("heading", { name: `Join ${shop.name}` })).toBeVisible();
  await audit(other);
  await other.getByRole("button", { name: "Accept" }).click();
  await expect(other.getByText("Name is required.")).toBeVisible();
  await other.getByLabel("Your name").fill("Ben Okafor");
  await other.getByLabel("Password").fill("correct horse battery");
  await other.getByRole("button", { name: "Accept" }).click();
  await expect(other).toHaveURL(new RegExp(`/b/${shop.id}/test$`));

  await page.reload();
  await expect(rowOf(page, "Invitations", email)).toHaveCount(0);
  const row = rowOf(page, "Members", email);
  await expect(row).toContainText("Viewer");
  await choose(page, row, "Change role…");
  await page
    .getByRole("dialog", { name: "Role of Ben Okafor" })
    .getByRole("radio", { name: /^Staff/ })
    .check();
  await page.getByRole("button", { name: "Change role" }).click();
  await expect(row).toContainText("Staff");
  await other.goto(`${install.url}${at("/payment-links")}`);
  await expect(other.getByRole("link", { name: "Create payment link" }).first()).toBeVisible();

  await choose(page, row, "Remove…");
  await page
    .getByRole("alertdialog", { name: "Remove Ben Okafor?" })
    .getByRole("button", { name: "Remove member" })
    .click();
  await expect(rowsOf(page, "Members")).toHaveCount(1);
  const later = await theirs.newPage();
  await later.goto(`${install.url}${at("/payment-links")}`);
  await expect(
    later.getByRole("heading", {
      name: /You’re not in any business yet|You are not a member of this business/,
    }),
  ).toBeVisible();
  await theirs.close();
});

test("a person with an account joins after signing in, and a revoked invitation opens nothing", async ({
  page,
  browser,
  install,
  shop,
  at,
  audit,
}) => {
  const known = await newStaff(install, "Ana Costa");
  const stranger = `eve.${newId()}@example.com`;
  await arrive(page, at("/settings/team"), "Team");
  for (const email of [known.email, stranger]) {
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("form", { name: "Invitation" }).getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Create invitation" }).click();
    await closeLink(page);
    await expect(rowOf(page, "Invitations", email)).toBeVisible();
  }
  const question = page.getByRole("alertdialog", { name: `Revoke the invitation of ${stranger}?` });
  await choose(page, rowOf(page, "Invitations", stranger), "Revoke invitation…");
  await expect(question).toBeVisible();
  await audit(page);
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(rowOf(page, "Invitations", stranger)).toBeVisible();

  const theirs = await browser.newContext();
  const other = await theirs.newPage();
  await other.goto(
    `${install.url}/invitation#${await mailedToken(stranger, "account_invitation")}`,
  );
  await other.getByLabel("Your name").fill("Eve Lim");
  await other.getByLabel("Password").fill("correct horse battery");
  await choose(page, rowOf(page, "Invitations", stranger), "Revoke invitation…");
  await question.getByRole("button", { name: "Revoke invitation" }).click();
  await expect(rowOf(page, "Invitations", stranger)).toHaveCount(0);

  await other.getByRole("button", { name: "Accept" }).click();
  await expect(other.getByRole("heading", { name: "This invitation does not work" })).toBeVisible();
  await signIn(theirs, await newStaff(install, "Someone Else"), install);
  const second = await theirs.newPage();
  await second.goto(
    `${install.url}/invitation#${await mailedToken(known.email, "account_invitation")}`,
  );
  await expect(second.getByRole("status")).toContainText(`then accept it as ${known.email}`);
  await audit(second);
  await second.getByRole("button", { name: "Sign out" }).click();
  await second.getByRole("link", { name: "Sign in to accept" }).click();
  await second.getByRole("link", { name: "Forgot your password?" }).click();
  await second.getByRole("link", { name: "Back to signing in" }).click();
  const form = second.getByRole("form", { name: "Sign in" });
  await form.getByLabel("E-mail").fill(known.email);
  await form.getByLabel("Password").fill(known.password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
  await second.getByRole("button", { name: "Accept" }).click();
  await expect(second).toHaveURL(new RegExp(`/b/${shop.id}/test$`));
  await page.reload();
  await expect(rowOf(page, "Members", known.email)).toContainText("Staff");
  await theirs.close();
});

test("the last owner can neither leave nor become less; with a second one both can", async ({
  page,
  install,
  shop,
  at,
}) => {
  await arrive(page, at("/settings/team"), "Team");
  const row = rowOf(page, "Members", "(you)");
  await choose(page, row, "Change role…");
  await page.getByRole("radio", { name: /^Viewer/ }).check();
  await page.getByRole("button", { name: "Change role" }).click();
  await expect(
    page.getByText("This is the last owner: make another member an owner first.").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await choose(page, row, "Leave…");
  await page
    .getByRole("alertdialog", { name: "Leave this business?" })
    .getByRole("button", { name: "Leave" })
    .click();
  await expect(
    page.getByText("This is the last owner: make another member an owner first.").first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(row).toContainText("Owner");

  await joinShop(await newStaff(install, "Ana Costa"), shop, "owner");
  await page.reload();
  await choose(page, row, "Change role…");
  await page.getByRole("radio", { name: /^Admin/ }).check();
  await page.getByRole("button", { name: "Change role" }).click();
  await expect(row).toContainText("Admin");
  // An admin manages all but owners.
  await expect(rowOf(page, "Members", "Ana Costa").getByRole("button")).toHaveCount(0);
});

test("a copied link lets its holder join this business, before their address is confirmed", async ({
  page,
  browser,
  install,
  shop,
  at,
  audit,
}) => {
  const email = `zoe.${newId()}@example.com`;
  await arrive(page, at("/settings/team"), "Team");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("form", { name: "Invitation" }).getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Create invitation" }).click();
  const dialog = page.getByRole("dialog", { name: "Invitation link" });
  const link = dialog.getByText(/\/invitation#/);
  const url = (await link.textContent()) ?? "";
  await audit(page);
  await closeLink(page);
  await choose(page, rowOf(page, "Invitations", email), "Copy invitation link…");
  await expect(link).toHaveText(url);
  expect(url).not.toContain(await mailedToken(email, "account_invitation"));
  await expect(dialog.getByRole("button", { name: "Copy link" })).toBeVisible();
  const theirs = await browser.newContext();
  const other = await theirs.newPage();
  await other.goto(`${install.url}/invitation${new URL(url).hash}`);
  await other.getByLabel("Your name").fill("Zoe Lim");
  await other.getByLabel("Password").fill("correct horse battery");
  await other.getByRole("button", { name: "Accept" }).click();
  await expect(other).toHaveURL(new RegExp(`/b/${shop.id}/test$`));
  await other.goto(`${install.url}${at("/settings/security")}`);
  await expect(other.getByText("Not confirmed")).toBeVisible();
  await expect(other.getByText(`kutip user:reset ${email}`)).toBeVisible();
  await expect(other.getByRole("button", { name: "Send the mail" })).toHaveCount(0);
  await expect(
    other.getByText("You can set them up once the operator has confirmed your e-mail address."),
  ).toBeVisible();
  await theirs.close();
});

test("a member's lost second factor is reset, and their keys go with them", async ({
  page,
  install,
  shop,
  at,
  audit,
}) => {
  const staff = await newStaff(install, "Ana Costa");
  await joinShop(staff, shop, "admin");
  await db.update(users).set({ twoFactorEnabled: true }).where(eq(users.id, staff.id));
  const owned = { businessId: shop.id, mode: "live" } as const;
  const key = await createKey(owned, "Old till", { createdBy: staff.id });
  await arrive(page, at("/settings/team"), "Team");
  const row = rowOf(page, "Members", staff.email);
  await choose(page, row, "Reset second factor…");
  const asked = page.getByRole("alertdialog", {
    name: "Reset the second factor of Ana Costa?",
  });
  await audit(page);
  await asked.getByRole("button", { name: "Reset second factor" }).click();
  await expect(row).toContainText("Off");
  await choose(page, row, "Remove…");
  const dialog = page.getByRole("alertdialog", { name: "Remove Ana Costa?" });
  await expect(dialog.getByRole("list", { name: "API keys" })).toContainText("Old till (live");
  await expect(dialog.getByLabel("Revoke these keys")).toBeChecked();
  await audit(page);
  await dialog.getByRole("button", { name: "Remove member" }).click();
  await expect(rowsOf(page, "Members")).toHaveCount(1);
  const [kept] = await db.select().from(apiKeys).where(eq(apiKeys.id, key.row.id));
  expect(kept?.revokedAt).not.toBeNull();
});
