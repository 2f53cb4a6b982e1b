import type { Page } from "@playwright/test";
import type { Payment } from "@/lib/contract/payments";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { expect, test } from "../fixtures";
import { newTokenization, payer, type Shop } from "../shop";

const now = (shop: Shop, id: string) => shop.api.ok<Tokenization>("GET", `/tokenizations/${id}`);
const charge = (shop: Shop, token: string) =>
  shop.api.ok<Payment>("POST", `/tokenizations/${token}/charge`, {
    amount: 4_900,
    currency: "MYR",
    title: "Membership, February",
  });

async function save(page: Page, url: string, outcome: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("button", { name: "Save payment method" }).click();
  await page.getByRole("button", { name: outcome, exact: true }).click();
}

test("Approve: the method is saved without a charge, and the business charges it", {
  tag: "@noscript",
}, async ({ page, shop, audit }) => {
  const made = await newTokenization(shop);
  await page.goto(made.activation_url);
  await expect(page.getByRole("heading", { name: made.title })).toBeVisible();
  expect(await page.content()).not.toContain(payer);
  await audit(page);
  await page.getByRole("button", { name: "Save payment method" }).click();
  await expect(
    page.getByRole("heading", { name: "Choose how saving a method ends" }),
  ).toBeVisible();
  await audit(page);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  await audit(page);
  expect(await now(shop, made._id)).toMatchObject({
    status: "active",
    payment_method: { last4: "4242" },
  });
  expect(await charge(shop, made.token)).toMatchObject({
    status: "succeeded",
    amount: 4_900,
    tokenization_id: made._id,
  });
  await page.goto(made.activation_url);
  await expect(page.getByRole("heading", { name: "Already activated" })).toBeVisible();
  await audit(page);
});

test("Approve but decline later charges: as many are declined as were asked for, the next succeeds", async ({
  page,
  shop,
}) => {
  const made = await newTokenization(shop);
  await page.goto(made.activation_url);
  await page.getByRole("button", { name: "Save payment method" }).click();
  await page.getByRole("spinbutton", { name: "How many" }).fill("2");
  await page.getByRole("button", { name: "Approve but decline later charges" }).click();
  await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  const outcomes = [
    await charge(shop, made._id),
    await charge(shop, made._id),
    await charge(shop, made._id),
  ];
  expect(outcomes.map(({ status }) => status)).toEqual(["failed", "failed", "succeeded"]);
});

test("Approve but expire: the charge fails and says why", async ({ page, shop }) => {
  const made = await newTokenization(shop);
  await save(page, made.activation_url, "Approve but expire");
  await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  expect(await charge(shop, made._id)).toMatchObject({
    status: "failed",
    message: expect.stringContaining("expired"),
  });
});

for (const [outcome, said] of [
  ["Decline", "Your payment method was not saved."],
  ["Cancel", "You came back without saving."],
] as const) {
  test(`${outcome}: nothing is saved, and the payer can try again`, async ({
    page,
    shop,
    audit,
  }) => {
    const made = await newTokenization(shop);
    await save(page, made.activation_url, outcome);
    await expect(page.getByText(said)).toBeVisible();
    await audit(page);
    expect((await now(shop, made._id)).status).toBe("pending");
    const refused = await shop.api.call("POST", `/tokenizations/${made._id}/charge`, {
      amount: 4_900,
      currency: "MYR",
      title: "Too early",
    });
    expect(refused.status).toBe(409);
    await page.getByRole("button", { name: "Save payment method" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
    expect((await now(shop, made._id)).status).toBe("active");
  });
}

test("a revoked token says so and can be neither saved nor charged", async ({
  page,
  shop,
  audit,
}) => {
  const made = await newTokenization(shop);
  await shop.api.ok("DELETE", `/tokenizations/${made.token}`);
  const response = await page.goto(made.activation_url);
  expect(response?.status()).toBe(410);
  await expect(
    page.getByRole("heading", { name: "This payment method was withdrawn" }),
  ).toBeVisible();
  await audit(page);
  expect(
    (
      await shop.api.call("POST", `/tokenizations/${made._id}/charge`, {
        amount: 4_900,
        currency: "MYR",
        title: "Too late",
      })
    ).status,
  ).toBe(409);
});
