import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { expect, test } from "../fixtures";
import { linkNow, newLink, payer } from "../shop";

test("an expired link says so and takes no money", async ({ page, shop, audit }) => {
  const link = await newLink(shop, { expires_at: new Date(Date.now() + 1_500).toISOString() });
  await expect.poll(async () => (await linkNow(shop, link._id)).status).toBe("Expired");
  const response = await page.goto(link.payment_url);
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { name: "This payment link has expired" })).toBeVisible();
  await expect(page.getByRole("button")).toHaveCount(0);
  await audit(page);
});

test("a cancelled link says so, and after reopening it can be paid again", {
  tag: "@noscript",
}, async ({ page, shop, audit }) => {
  const link = await newLink(shop);
  await shop.api.ok("POST", `/payment-links/${link._id}/cancel`);
  await page.goto(link.payment_url);
  await expect(
    page.getByRole("heading", { name: "This payment link was cancelled" }),
  ).toBeVisible();
  await expect(page.getByText(`${shop.name} has cancelled it`)).toBeVisible();
  expect(await page.content()).not.toContain(payer);
  await audit(page);
  await shop.api.ok("POST", `/payment-links/${link._id}/reopen`);
  await page.reload();
  await expect(page.getByRole("button", { name: "Pay MYR 12.50" })).toBeVisible();
});

test("a deleted link is gone, by its business's name alone", async ({ page, shop, audit }) => {
  const link = await newLink(shop);
  await shop.api.ok("DELETE", `/payment-links/${link._id}`);
  const response = await page.goto(link.payment_url);
  expect(response?.status()).toBe(410);
  await expect(page.getByRole("heading", { name: "This payment link was removed" })).toBeVisible();
  await expect(page.getByRole("main").getByText(shop.name)).toBeVisible();
  expect(await page.content()).not.toContain(link.title);
  await audit(page);
});

test("an address of nothing is a page that says so", async ({ page, audit }) => {
  for (const address of [
    "/pay?id=000000000000000000000000",
    "/pay?id=%00",
    "/pay",
    "/thank-you",
    `/activate/${"0".repeat(64)}`,
    `/simulator/${"0".repeat(64)}`,
  ]) {
    const response = await page.goto(address);
    expect([address, response?.status()]).toEqual([address, 404]);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("button")).toHaveCount(0);
    await audit(page);
  }
});

test("the longest words fit on the narrowest page, with the QR", { tag: "@noscript" }, async ({
  page,
  shop,
  audit,
  isMobile,
}) => {
  const link = await newLink(shop, {
    title: "W".repeat(50),
    description: `${"x".repeat(300)} ${"長".repeat(200)}`,
    reference: "R".repeat(50),
    reference_2: "2".repeat(50),
    amount: 3_000_000,
    currency: "JPY",
  });
  await page.goto(link.payment_url);
  await expect(page.getByRole("button", { name: "Pay JPY 3,000,000" })).toBeVisible();
  // A phone seldom scans itself: there the code is folded away.
  if (isMobile) await page.getByText("Pay on another device").click();
  await expect(
    page.getByRole("img", { name: "QR code that opens this payment page" }),
  ).toBeVisible();
  await audit(page);
});

test("markup in a link is shown as text", async ({ page, shop }) => {
  const title = `<img src=x onerror=alert(1)>"'&amp;`;
  const link = await newLink(shop, {
    title,
    description: "<script>alert(2)</script>",
    reference: "<b>7</b>",
  });
  await page.goto(link.payment_url);
  await expect(page.getByRole("heading", { name: title })).toBeVisible();
  await expect(page.getByText("<script>alert(2)</script>")).toBeVisible();
  await expect(page.getByText("<b>7</b>")).toBeVisible();
});

test("the payer reads on which day a link is due, in the business's time zone, and can pay after it", {
  tag: "@noscript",
}, async ({ page, shop, audit }) => {
  await db.execute(
    sql`update businesses set time_zone = 'Asia/Kuala_Lumpur', updated_at = now() where id = ${shop.id}`,
  );
  const due = await newLink(shop, { due_at: "2026-12-02T18:00:00Z" });
  await page.goto(due.payment_url);
  await expect(page.getByText("3 December 2026")).toBeVisible();
  await audit(page);
  const late = await newLink(shop, { due_at: "2020-01-01T18:00:00Z" });
  expect(late.overdue).toBe(true);
  await page.goto(late.payment_url);
  await expect(page.getByRole("button", { name: "Pay MYR 12.50" })).toBeVisible();
});
