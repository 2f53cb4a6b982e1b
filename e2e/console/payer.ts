import { type Browser, expect, type Page } from "@playwright/test";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Tokenization } from "@/lib/contract/tokenizations";

/** Somebody without a session, at an address in a window of their own. */
async function elsewhere(browser: Browser, address: string, act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await act(page);
  await context.close();
}

/** The payer pays a link, or tries to. */
export async function pay(browser: Browser, { payment_url: address }: PaymentLink, outcome: "Approve" | "Decline" = "Approve"): Promise<void> {
  await elsewhere(browser, address, async (page) => {
    await page.getByRole("button", { name: /^Pay / }).click();
    await page.getByRole("button", { name: outcome, exact: true }).click();
    await expect(outcome === "Approve" ? page.getByRole("heading", { name: "Thank you" }) : page.getByRole("alert")).toBeVisible();
  });
}

/** The payer saves a method that will work. */
export async function saveMethod(browser: Browser, { activation_url: address }: Tokenization): Promise<void> {
  await elsewhere(browser, address, async (page) => {
    await page.getByRole("button", { name: "Save payment method" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  });
}
