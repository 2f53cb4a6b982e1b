import { globSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Mail } from "@/lib/contract/mails";
import type { Payment } from "@/lib/contract/payments";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { lineFor } from "@/lib/domain/businesses/line";
import { setTimes } from "@/lib/gateways/simulator/scripting";
import { expectFitsPhone } from "../accessibility";
import { join } from "../install";
import { newLink, newShop, newTokenization, type Shop } from "../shop";
import { expect, test as base } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { newSubscription, subscriptionNow } from "./records";
import { joinShop } from "./staff";

type Place = { shop: Shop; ids: Record<string, string> };

/** A business in which every page has something to show, made once for each worker. */
const test = base.extend<object, { furnished: Place }>({
  furnished: [
    async ({ browser, place, staff }, use) => {
      await join(place);
      const shop = await newShop(place.url);
      await joinShop(staff, shop);
      await setTimes((await lineFor(shop.ctx)).connection, { approveAfterMs: 600_000 });
      await pay(browser, await newLink(shop, { title: "Paid" }));
      await pay(browser, await newLink(shop, { title: "Declined" }), "Decline");
      const link = await newLink(shop, { title: "A title that is as long as titles can be, fifty.", description: "Two\nlines", send_email: true, email: "a.rather.long.name@a-rather-long-domain.example" });
      const token = await newTokenization(shop);
      await saveMethod(browser, token);
      const subscription = await newSubscription(shop, { email: "late@example.com" });
      const pending = await newTokenization(shop, { title: "Still pending" });
      await expect.poll(async () => (await subscriptionNow(shop, subscription._id)).payment_links.length).toBe(1);
      const { _id: endpoint } = await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", { url: "https://hooks.example/a-rather-long-path/that-goes-on-and-on-without-a-blank", description: "Web shop" });
      const { _id: delivery } = await shop.api.ok<{ _id: string }>("POST", `/webhook-endpoints/${endpoint}/test`);
      const first = async <T extends { _id: string }>(path: string) => (await shop.api.ok<{ data: T[] }>("GET", path)).data[0]?._id ?? "";
      await use({
        shop,
        ids: {
          payment_link_id: link._id, token_id: token._id, pending_id: pending._id, package_id: subscription.package_id, subscription_id: subscription._id,
          payment_id: await first<Payment>("/payments?status=failed"), paid_id: await first<PaymentLink>("/payment-links?status=Paid"), event_id: await first("/events"),
          webhook_endpoint_id: endpoint, webhook_delivery_id: delivery,
        },
      });
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

const pages = globSync("app/{(auth),(console)}/**/page.tsx").map((file) => file.replace(/^app/, "").replace(/\/page\.tsx$/, "").replace(/\/\([^)]*\)/g, "")).sort();

/** Ids only the dashboard itself is told. */
async function toldTo(request: (path: string) => Promise<{ data: { _id: string }[] }>): Promise<Record<string, string>> {
  const [mails, log] = [(await request("/mails")) as { data: Mail[] }, await request("/request-log")];
  return { mail_id: mails.data[0]?._id ?? "", request_id: log.data[0]?._id ?? "" };
}

/** Opens a page and waits until it shows what it has. */
async function open(tab: Page, address: string): Promise<void> {
  await tab.goto(address);
  await expect(tab.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(tab.locator("[aria-busy=true]")).toHaveCount(0);
  await expect(tab.getByRole("alert").filter({ hasText: /Not found|did not load/ })).toHaveCount(0);
}

for (const page of pages) {
  test(`${page} breaks no rule of accessibility in light or dark, and scrolls only down, also on a phone`, async ({ page: tab, furnished: { shop, ids }, audit }) => {
    const headers = { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" };
    const read = async (path: string) => ((await (await tab.request.get(`/api${path}`, { headers })).json()) as { data: { data: { _id: string }[] } }).data;
    const known: Record<string, string> = { ...ids, business: String(shop.id), mode: "test", ...(/mail_id|request_id/.test(page) ? await toldTo(read) : {}) };
    const address = page.replace(/\[(\w+)\]/g, (_, name: string) => {
      if (!known[name]) throw new Error(`this test has no record for ${name}: make one`);
      return known[name];
    });
    await open(tab, address);
    await audit(tab);
    await expectFitsPhone(tab);
  });
}

for (const [name, path] of [["a new token", "/tokens/[pending_id]?created=true"], ["a paid link", "/payment-links/[paid_id]"], ["a form with mistakes", "/subscriptions/new"]] as const) {
  test(`${name} breaks none either`, async ({ page, furnished: { shop, ids }, audit }) => {
    await open(page, `/b/${shop.id}/test${path.replace(/\[(\w+)\]/, (_, id: string) => ids[id] ?? "")}`);
    if (path.endsWith("/new")) {
      await page.getByRole("button", { name: "Subscribe" }).click();
      await expect(page.locator("[aria-invalid=true]").first()).toBeFocused();
    }
    await audit(page);
  });
}

test("Tab reaches what stands on a page, in order, and it can be seen where", async ({ page, furnished: { shop } }) => {
  await page.goto(`/b/${shop.id}/test/subscriptions`);
  await expect(page.getByRole("link", { name: "Subscribe someone" })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.locator("#content")).toBeFocused();
  for (const target of [page.getByRole("link", { name: "Subscribe someone" }), page.getByRole("searchbox", { name: "Search subscriptions" }), page.getByRole("combobox", { name: "Status" })]) {
    await page.keyboard.press("Tab");
    await expect(target).toBeFocused();
    expect(await target.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
  }
});
