import { expect, it } from "vitest";
import { pool, type Tx, withTransaction } from "@/db/client";
import { lockBusiness } from "@/lib/domain/businesses/rows";
import { lockConnection } from "@/lib/domain/gateway-connections/rows";
import { lockPackage } from "@/lib/domain/packages/rows";
import { lockLink, lockOpenPeriodLinks } from "@/lib/domain/payment-links/rows";
import { lockRefund } from "@/lib/domain/payments/refunds/rows";
import { lockPayment } from "@/lib/domain/payments/rows";
import { lockSubscription } from "@/lib/domain/subscriptions/rows";
import { lockPeriod, lockTerms } from "@/lib/domain/subscriptions/period-rows";
import { lockTokenization } from "@/lib/domain/tokenizations/rows";
import { create as refund } from "@/lib/flows/refund/steps";
import { renewal } from "@/lib/flows/renewal/job";
import { runOnce } from "../run-once";
import { paidPayment, type Shop } from "./setting";
import { newShopIn, saveMethod, subscribe } from "./subscription-setting";

type Row = { id: string; status: string; subscription_id: string; period_start: string };
type Lock = (shop: Shop, tx: Tx, row: Row) => Promise<unknown>;

// A row that refers to another one takes this lock on it. Where two transactions take both in turn, waiting would be a deadlock.
const locks: Record<string, [table: string, lock: Lock]> = {
  business: ["businesses", (shop, tx) => lockBusiness(tx, shop.ctx.businessId)],
  connection: ["gateway_connections", ({ ctx }, tx, { id }) => lockConnection(ctx, tx, id)],
  link: ["payment_links", ({ ctx }, tx, { id }) => lockLink(ctx, tx, id)],
  "period's open link": [
    "payment_links",
    ({ ctx }, tx, row) => lockOpenPeriodLinks(ctx, tx, row.subscription_id),
  ],
  package: ["packages", ({ ctx }, tx, { id }) => lockPackage(ctx, tx, id)],
  payment: ["payments", ({ ctx }, tx, { id }) => lockPayment(ctx, tx, id)],
  refund: ["refunds", ({ ctx }, tx, { id }) => lockRefund(ctx, tx, id)],
  subscription: ["subscriptions", ({ ctx }, tx, { id }) => lockSubscription(ctx, tx, id)],
  "subscription with its terms": ["subscriptions", ({ ctx }, tx, { id }) => lockTerms(ctx, tx, id)],
  period: [
    "subscription_periods",
    ({ ctx }, tx, row) =>
      lockPeriod(ctx, tx, { subscriptionId: row.subscription_id, periodStart: row.period_start }),
  ],
  "saved method": ["tokenizations", ({ ctx }, tx, { id }) => lockTokenization(ctx, tx, id)],
};

/** A business with a record of each kind, and one payment link that waits for a period's payer. */
async function furnishedShop(): Promise<Shop> {
  const shop = await newShopIn("UTC");
  await saveMethod(shop);
  await subscribe(shop);
  const { id } = await paidPayment(shop);
  await refund(shop.ctx, id, { amount: 100 });
  await subscribe(shop, {}, undefined, "without-a-method@example.com");
  await runOnce(renewal, shop.ctx.businessId);
  return shop;
}

it.each(Object.entries(locks))(
  "a locked %s can be referred to, and not changed",
  async (_, [table, lock]) => {
    const shop = await furnishedShop();
    const key = table === "businesses" ? "id" : "business_id";
    const { rows } = await pool().query<{ row: Row; at: string; part: number }>(
      `select to_jsonb(t) as row, ctid as at, tableoid as part from ${table} t where ${key} = $1`,
      [shop.ctx.businessId],
    );
    const found = rows.find(({ row }) => row.subscription_id && row.status === "Active") ?? rows[0];
    if (!found) throw new Error(`there is nothing in ${table}`);
    const asOther = (strength: string) =>
      pool().query(
        `select from ${table} where ctid = $1 and tableoid = $2 for ${strength} nowait`,
        [found.at, found.part],
      );
    await withTransaction(async (tx) => {
      expect(await lock(shop, tx, found.row)).toBeDefined();
      expect((await asOther("key share")).rowCount).toBe(1);
      await expect(asOther("no key update")).rejects.toThrow("lock");
    });
  },
);
