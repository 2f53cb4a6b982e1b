import type { Package } from "@/lib/contract/packages";
import type { Subscription } from "@/lib/contract/subscriptions";
import type { Shop } from "../shop";
import { payer } from "../shop";

/** A package created over the API, with periods from a day long ago: subscribers are charged at once. */
export async function newPackage(shop: Shop, more: Record<string, unknown> = {}): Promise<Package> {
  return shop.api.ok<Package>("POST", "/packages", {
    name: "Gold membership",
    amount: 4_900,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2026-01-31",
    ...more,
  });
}

/** A subscription made over the API, to a package of its own unless one is given. */
export async function newSubscription(
  shop: Shop,
  more: Record<string, unknown> = {},
): Promise<Subscription> {
  const package_id = more.package_id ?? (await newPackage(shop))._id;
  return shop.api.ok<Subscription>("POST", "/subscriptions", { email: payer, ...more, package_id });
}

export const subscriptionNow = (shop: Shop, id: string) =>
  shop.api.ok<Subscription>("GET", `/subscriptions/${id}`);
