import type { Page } from "@playwright/test";
import { eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import { expect, test } from "../fixtures";
import { signIn } from "./fixtures";
import { arrive } from "./screen";
import { joinShop, newStaff } from "./staff";

const question = (page: Page) => page.getByRole("dialog", { name: "Confirm that it’s you" });

/** As if the person had signed in 11 minutes ago. */
const age = (userId: string) =>
  db
    .update(sessions)
    .set({ createdAt: sql`now() - interval '11 minutes'`, provenAt: null })
    .where(eq(sessions.userId, userId));

test("a sensitive call asks for the password, then goes on with what was written", async ({
  page,
  context,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await signIn(context, staff, install);
  await age(staff.id);
  await arrive(page, `/b/${shop.id}/live/developers`, "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("form", { name: "New API key" });
  await form.getByLabel("Name").fill("Web shop");
  await form.getByRole("button", { name: "Create key" }).click();

  await expect(question(page)).toBeVisible();
  await expect(question(page).getByLabel("Your password")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question(page)).toHaveCount(0);
  await expect(form.getByLabel("Name")).toHaveValue("Web shop");
  await expect(form.getByText("Confirm that it is you, then try again.")).toBeVisible();

  await form.getByRole("button", { name: "Create key" }).click();
  await question(page).getByLabel("Your password").fill("not the password");
  await question(page).getByRole("button", { name: "Confirm" }).click();
  await expect(question(page).getByText("This is not your password.")).toBeVisible();
  await question(page).getByLabel("Your password").fill(staff.password);
  await question(page).getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("dialog", { name: "Your new key" })).toBeVisible();
  await expect(question(page)).toHaveCount(0);
});

test("a secret that is asked for is shown after the password, and reading it again asks nothing", async ({
  page,
  context,
  install,
  shop,
}) => {
  const staff = await newStaff(install);
  await joinShop(staff, shop);
  await signIn(context, staff, install);
  await age(staff.id);
  await arrive(page, `/b/${shop.id}/test/settings/signing-secret`, "Signing secret");
  await page.getByRole("button", { name: "Show" }).click();
  await question(page).getByLabel("Your password").fill(staff.password);
  await question(page).getByLabel("Your password").press("Enter");
  const secret = page.getByRole("region", { name: "Signing secret", exact: true });
  await expect(secret).toContainText(/\w{20}/);
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByRole("button", { name: "Show" }).click();
  await expect(secret).toContainText(/\w{20}/);
  await expect(question(page)).toHaveCount(0);
});
