import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { unseal } from "@/lib/kernel/secrets";
import { expect, test } from "../fixtures";
import { linkNow, newLink, type Shop } from "../shop";

let merchant: Server;
let origin: string;
test.beforeAll(async () => {
  merchant = createServer((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Shop</title><h1>Back at the shop</h1>"),
  );
  await new Promise<void>((resolve) => merchant.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  merchant.closeAllConnections();
  merchant.close();
});

const names = [
  "payment_link_id",
  "payment_id",
  "payment_status",
  "payment_amount",
  "payment_currency",
  "payment_link_reference",
  "payment_link_reference_2",
  "payment_time",
  "payment_message",
  "attempt_id",
];

/** What a business's own program would compute, from the documented rule alone. */
async function hashOf(shop: Shop, values: Record<string, string>): Promise<string> {
  const secret = unseal((await findBusiness(shop.id))?.signingSecretTest ?? "", "signing_secret");
  return createHmac("sha256", secret)
    .update(names.map((name) => `${name}=${values[name]}`).join("\n"))
    .digest("hex");
}

async function payThrough(page: Page, url: string, outcome: string): Promise<URLSearchParams> {
  await page.goto(url);
  await page.getByRole("button", { name: /^Pay / }).click();
  await page.getByRole("button", { name: outcome, exact: true }).click();
  await expect(page.getByRole("heading", { name: "Back at the shop" })).toBeVisible();
  return new URL(page.url()).searchParams;
}

test("after paying the browser goes to the business's page with what was paid, under a hash that proves it", {
  tag: "@noscript",
}, async ({ page, shop }) => {
  const link = await newLink(shop, {
    redirect_url: `${origin}/done?order=7`,
    reference: "a=1&b %0A ü",
    reference_2: null,
  });
  const told = Object.fromEntries(await payThrough(page, link.payment_url, "Approve"));
  expect(told).toMatchObject({
    order: "7",
    payment_link_id: link._id,
    payment_status: "1",
    payment_amount: "1250",
    payment_currency: "MYR",
    payment_link_reference: link.reference,
    payment_link_reference_2: "",
    payment_message: "Paid",
    attempt_id: told.payment_id,
  });
  expect(told.payment_time).toBe((await linkNow(shop, link._id)).paid_at);
  expect(told.hash).toBe(await hashOf(shop, told));
});

test("a payment that is pending comes back as such", async ({ page, shop }) => {
  const link = await newLink(shop, { redirect_url: `${origin}/done` });
  const told = Object.fromEntries(await payThrough(page, link.payment_url, "Lose the answer"));
  expect(told).toMatchObject({ payment_link_id: link._id, payment_status: "2" });
  expect(told.hash).toBe(await hashOf(shop, told));
});

test("a parameter of the business's own address is kept, and the hash covers Kutip's own values", async ({
  page,
  shop,
}) => {
  const link = await newLink(shop, {
    redirect_url: `${origin}/done?payment_status=9&attempt_id=mine`,
  });
  const search = await payThrough(page, link.payment_url, "Approve");
  expect([search.getAll("payment_status"), search.getAll("attempt_id")]).toEqual([["9"], ["mine"]]);
  const told = Object.fromEntries(search);
  expect(told.hash).toBe(
    await hashOf(shop, { ...told, payment_status: "1", attempt_id: told.payment_id ?? "" }),
  );
});

test("a payer who comes back without having paid stays with the link", async ({ page, shop }) => {
  const link = await newLink(shop, { redirect_url: `${origin}/done` });
  await page.goto(link.payment_url);
  await page.getByRole("button", { name: /^Pay / }).click();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByText("You came back without paying.")).toBeVisible();
});
