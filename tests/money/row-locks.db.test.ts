import { expect, it } from "vitest";
import { pool, type Tx, withTransaction } from "@/db/client";
import { lockBusiness } from "@/lib/domain/businesses/rows";
import { lockConnection } from "@/lib/domain/gateway-connections/rows";
import { lockPackage } from "@/lib/domain/packages/rows";
import { lockLink } from "@/lib/domain/payment-links/rows";
import { lockPayment } from "@/lib/domain/payments/rows";
import { lockSubscription } from "@/lib/domain/subscriptions/rows";
import { lockTerms } from "@/lib/domain/subscriptions/period-rows";
import { lockTokenization } from "@/lib/domain/tokenizations/rows";
import { newLink, paymentsOf, press, type Shop } from "./setting";
import { newShopIn, saveMethod, subscribe } from "./subscription-setting";

type Lock = (shop: Shop, tx: Tx, id: string) => Promise<unknown>;

// A row that refers to another one takes this lock on it. Where two transactions take both in turn, waiting would be a deadlock.
const locks: Record<string, [table: string, lock: Lock]> = {
  business: ["businesses", (shop, tx) => lockBusiness(tx, shop.ctx.businessId)],
  connection: ["gateway_connections", ({ ctx }, tx, id) => lockConnection(ctx, tx, id)],
  link: ["payment_links", ({ ctx }, tx, id) => lockLink(ctx, tx, id)],
  package: ["packages", ({ ctx }, tx, id) => lockPackage(ctx, tx, id)],
  payment: ["payments", ({ ctx }, tx, id) => lockPayment(ctx, tx, id)],
  subscription: ["subscriptions", ({ ctx }, tx, id) => lockSubscription(ctx, tx, id)],
  "subscription with its terms": ["subscriptions", ({ ctx }, tx, id) => lockTerms(ctx, tx, id)],
  "saved method": ["tokenizations", ({ ctx }, tx, id) => lockTokenization(ctx, tx, id)],
};

it.each(Object.entries(locks))("a locked %s can be referred to", async (_, [table, lock]) => {
  const shop = await newShopIn("UTC");
  await saveMethod(shop);
  await subscribe(shop, { frequency: "daily" });
  await press(shop, (await newLink(shop))._id);
  expect(await paymentsOf(shop)).toHaveLength(1);
  const key = table === "businesses" ? "id" : "business_id";
  const { rows } = await pool().query<{ id: string }>(
    `select id from ${table} where ${key} = $1 limit 1`,
    [shop.ctx.businessId],
  );
  const id = rows[0]?.id ?? "";
  await withTransaction(async (tx) => {
    expect(await lock(shop, tx, id)).toBeDefined();
    const refer = `select from ${table} where ${key} = $1 and id = $2 for key share nowait`;
    const { rowCount } = await pool().query(refer, [shop.ctx.businessId, id]);
    expect(rowCount).toBe(1);
    const change = `select from ${table} where ${key} = $1 and id = $2 for no key update nowait`;
    await expect(pool().query(change, [shop.ctx.businessId, id])).rejects.toThrow("lock");
  });
});
