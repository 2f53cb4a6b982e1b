import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { find } from "@/lib/domain/search/find";
import { settle } from "@/lib/domain/payments/settle";
import { newId } from "@/lib/kernel/ids";
import { newLink, newShop, paymentsOf, press, type Shop } from "../money/setting";
import { runBatches } from "./batches";

afterAll(closePool);

const found = async ({ ctx }: Shop, text: string) =>
  (await find(ctx, text)).flatMap((one) => (one.kind === "payment" ? [one._id] : []));

/** A payment of MYR 125.50 and its fee of 2.51, as a version without `net` books it. */
async function paidEarlier(shop: Shop): Promise<string> {
  await press(shop, (await newLink(shop, 12_550))._id);
  const [payment] = await paymentsOf(shop);
  const id = payment?.id ?? "";
  const paid = { kind: "succeeded", gatewayId: "g", amount: 12_550, currency: "MYR" } as const;
  await settle(shop.ctx, id, { ...paid, fee: null });
  await db.execute(sql`insert into ledger_entries (business_id, mode, id, posting_id, payment_id, kind, account, currency, amount)
    select ${shop.ctx.businessId}, 'test', ${newId()} || account, ${`fee:${id}`}, ${id}, 'fee', account, 'MYR', amount
    from (values ('fees', 251), ('gateway', -251)) booked (account, amount)`);
  return id;
}

test("a payment is found by its net, whichever version booked its fee, beside this one or while it was gone", async () => {
  const shop = await newShop();
  const id = await paidEarlier(shop);
  expect(await found(shop, "122.99")).toEqual([id]);
  await db.execute(sql`update payments set net = null where id = ${id}`);
  expect(await found(shop, "122.99")).toEqual([]);
  await runBatches("nets_again");
  expect(await found(shop, "122.99")).toEqual([id]);
});
