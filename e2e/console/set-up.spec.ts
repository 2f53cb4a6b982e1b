import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { startTestServer } from "@/scripts/test-server.mjs";
import { expect, test } from "../fixtures";

type Server = Awaited<ReturnType<typeof startTestServer>>;
let server: Server | undefined;

// An address that is not this machine's gets no demo business, so that the install is empty.
test.beforeAll(async () => {
  test.setTimeout(120_000);
  server = await startTestServer({ BASE_URL: "http://pay.example", SIGN_UP: "open", RATE_LIMIT_SIGN_IN: "0", LOG_LEVEL: "fatal", DATABASE_URL: "" });
});
test.afterAll(async () => {
  await server?.stop();
});

const heading = (page: Page, name: string) => expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

async function fillBusiness(page: Page, business: string, email: string): Promise<void> {
  await page.getByLabel("Business name").fill(business);
  await page.getByLabel("Usual currency").selectOption("MYR");
  await page.getByLabel("Your name").fill("Nadia Rahman");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("correct horse battery");
}

test("an empty install is set up with the printed code, once; afterwards sign-up says what is wrong and begins in test mode", async ({ page, browser, audit }) => {
  const { url, log } = server as Server;
  await page.goto(`${url}/`);
  await heading(page, "Set up Kutip");
  await audit(page);
  await fillBusiness(page, "Kedai Buku", "nadia@example.com");
  await page.getByLabel("Setup code").fill("wrong");
  await page.getByRole("button", { name: "Make the business" }).click();
  await expect(page.getByText("The code is not the one printed at the last start.")).toBeVisible();
  await expect(page.getByLabel("Setup code")).toBeFocused();
  const code = /\b[a-z2-9]{5}(?:-[a-z2-9]{5}){3}\b/.exec(readFileSync(log, "utf8"))?.[0] ?? "";
  await page.getByLabel("Setup code").fill(code);
  await page.getByRole("button", { name: "Make the business" }).click();
  await expect(page).toHaveURL(/\/b\/\d+\/test$/);
  await expect(page.getByRole("status").filter({ hasText: "Test mode." })).toBeVisible();

  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  await other.goto(`${url}/setup`);
  await heading(other, "This Kutip is set up");
  await other.getByRole("link", { name: "Sign in" }).click();
  await other.getByRole("link", { name: "Make a business" }).click();
  await heading(other, "Make a business");
  await fillBusiness(other, "Second Shop", "nadia@example.com");
  await other.getByRole("button", { name: "Make the business" }).click();
  await expect(other.getByText("The email has already been taken.")).toBeVisible();
  await expect(other.getByLabel("E-mail")).toBeFocused();
  await other.getByLabel("E-mail").fill("omar@example.com");
  await other.getByRole("button", { name: "Make the business" }).click();
  await expect(other).toHaveURL(/\/b\/\d+\/test$/);
  await other.goto(`${other.url()}/settings/security`);
  await expect(other.getByText("Not confirmed")).toBeVisible();
  await stranger.close();
});

test("where sign-up is closed the page says how one gets in", async ({ page, place, audit }) => {
  await page.goto(`${place.url}/sign-up`);
  await heading(page, "By invitation only");
  await audit(page);
  await page.goto(`${place.url}/sign-in`);
  await heading(page, "Sign in");
  await expect(page.getByRole("link", { name: "Make a business" })).toHaveCount(0);
});
