import { expect, type Page } from "@playwright/test";
import type { Batch } from "@/lib/contract/batches";
import type { Payment } from "@/lib/contract/payments";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { create as connectPlugin } from "@/lib/domain/integrations/manage";
import { setTimes } from "@/lib/gateways/simulator/scripting";
import { join, type Install } from "../install";
import { newLink, newShop, newTokenization, payer, type Shop } from "../shop";
import { pay, saveMethod } from "./payer";
import { newSubscription, subscriptionNow } from "./records";
import { joinShop, type Staff } from "./staff";

export type Furnished = { shop: Shop; ids: Record<string, string> };

/** Makes a business in which every page has something to show, with this person as its owner. */
export async function furnish(install: Install, staff: Staff): Promise<Furnished> {
  await join(install);
  const shop = await newShop(install.url);
  await joinShop(staff, shop);
  await setTimes((await resolveGateway(shop.ctx)).connection, { approveAfterMs: 600_000 });
  await pay(await newLink(shop, { title: "Paid" }));
  await pay(await newLink(shop, { title: "Declined" }), "decline");
  const link = await newLink(shop, {
    title: "A title that is as long as titles can be, fifty.",
    description: "Two\nlines",
    send_email: true,
    email: "a.rather.long.name@a-rather-long-domain.example",
  });
  const token = await newTokenization(shop);
  await saveMethod(token);
  const subscription = await newSubscription(shop, { email: "late@example.com" });
  const pending = await newTokenization(shop, { title: "Still pending" });
  await expect
    .poll(async () => (await subscriptionNow(shop, subscription._id)).payment_links.length)
    .toBe(1);
  const { _id: endpoint } = await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", {
    url: "https://hooks.example/a-rather-long-path/that-goes-on-and-on-without-a-blank",
    description: "Web shop",
  });
  const first = async <T extends { _id: string }>(path: string) =>
    (await shop.api.ok<{ data: T[] }>("GET", path)).data[0]?._id ?? "";
  const { _id: batch } = await shop.api.ok<{ _id: string }>("POST", "/batches", {
    action: "cancel",
    ids: [link._id, await first<PaymentLink>("/payment-links?status=Paid")],
  });
  await expect
    .poll(async () => (await shop.api.ok<Batch>("GET", `/batches/${batch}`)).status)
    .toBe("done");
  await shop.api.ok("POST", `/payment-links/${link._id}/reopen`);
  const { _id: delivery } = await shop.api.ok<{ _id: string }>(
    "POST",
    `/webhook-endpoints/${endpoint}/test`,
  );
  const plugin = await connectPlugin(shop.ctx, { name: "Web shop", plugin: "woocommerce" });
  return {
    shop,
    ids: {
      integration_id: plugin._id,
      customer_id: await first(`/customers?email=${payer}`),
      payment_link_id: link._id,
      batch_id: batch,
      token_id: token._id,
      pending_id: pending._id,
      package_id: subscription.package_id,
      subscription_id: subscription._id,
      succeeded_id: await first<Payment>("/payments?status=succeeded"),
      payment_id: await first<Payment>("/payments?status=failed"),
      paid_id: await first<PaymentLink>("/payment-links?status=Paid"),
      event_id: await first("/events"),
      webhook_endpoint_id: endpoint,
      webhook_delivery_id: delivery,
    },
  };
}

/** The address of a page of that business: `path` with the ids of its records in place of `[names]`. */
export function addressIn(path: string, ids: Record<string, string>): string {
  return path.replace(/\[(\w+)\]/g, (_, name: string) => {
    if (!ids[name]) throw new Error(`this test has no record for ${name}: make one`);
    return ids[name];
  });
}

/** Opens a page and waits until it shows what it has. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await expect(page.getByRole("alert").filter({ hasText: /Not found|did not load/ })).toHaveCount(
    0,
  );
}
