import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/client";
import { linkExpiry, tokenExpiry } from "@/lib/flows/expiry/job";
import { findLink } from "@/lib/domain/payment-links/rows";
import { paymentLookUps } from "@/lib/flows/charge/job";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { script } from "@/lib/gateways/simulator/scripting";
import { newLink, newShop, paymentsOf, press, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { runAll, runOnce } from "../run-once";
import { createRunner } from "@/lib/jobs/runner";

const MANY = 50;
const ROUND = "a round";

ownDatabaseEach();
let stuck: Shop;
let well: Shop;
beforeEach(async () => {
  [stuck, well] = [await newShop(), await newShop()];
});

/** Links that expire while their payers are at the gateway. */
async function expiredWithPage(shop: Shop, count: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const { _id } = await newLink(shop);
      await press(shop, _id);
      return _id;
    }),
  );
  const { businessId } = shop.ctx;
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '70 seconds' where business_id = ${businessId}`,
  );
  await db.execute(
    sql`update payments set next_check_at = now() - interval '70 seconds' where business_id = ${businessId}`,
  );
  return ids;
}
const statusOf = async (shop: Shop, id = "") => (await findLink(shop.ctx, id))?.status;

test("a payer's page is looked at when its link expires, and not before its first minute otherwise", async () => {
  const { _id } = await newLink(well);
  const soon = new Date(Date.now() + 20_000).toISOString();
  await db.execute(sql`update payment_links set expires_at = ${soon} where id = ${_id}`);
  await press(well, _id);
  const [payment] = await paymentsOf(well);
  expect(Date.parse(payment?.nextCheckAt ?? "")).toBe(Date.parse(soon));
});

test("fifty links that a gateway does not release delay no other business's link", async () => {
  const held = await expiredWithPage(stuck, MANY);
  const [link] = await expiredWithPage(well, 1);
  await script(stuck.account.connection.id, "cancel", "error", { times: 1_000 });
  await runOnce(paymentLookUps);
  await runOnce(linkExpiry);
  expect(await statusOf(well, link)).toBe("Expired");
  expect(await statusOf(stuck, held[0])).toBe("Active");
  // Each that could not be released waits for a later try, so that the others of its own business get theirs.
  await runAll(paymentLookUps);
  expect(
    (await paymentsOf(stuck)).every(({ checks, nextCheckAt }) => checks > 0 && nextCheckAt),
  ).toBe(true);
});

test("a gateway that hangs delays no other business's link", async () => {
  await expiredWithPage(stuck, MANY);
  const [link] = await expiredWithPage(well, 1);
  await script(stuck.account.connection.id, "find", "hang", { times: 1_000 });
  await createRunner(paymentLookUps).poll(ROUND);
  await expect.poll(() => runOnce(linkExpiry), { timeout: 60_000 }).toBe(1);
  expect(await statusOf(well, link)).toBe("Expired");
});

test("links and tokens without a payer at the gateway expire in one round, however many another business has", async () => {
  const token = (shop: Shop) =>
    createToken(shop.ctx, { email: "payer@example.com", title: "Club", description: "Monthly" });
  for (let n = 0; n < 30; n++) await Promise.all([newLink(stuck), token(stuck)]);
  const [link, { _id }] = [await newLink(well), await token(well)];
  await db.execute(sql`update payment_links set expires_at = now() - interval '1 hour'`);
  await db.execute(sql`update tokenizations set expires_at = now() - interval '1 hour'`);
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 minute' where id = ${link._id}`,
  );
  await runOnce(linkExpiry);
  await runOnce(tokenExpiry);
  expect(await statusOf(well, link._id)).toBe("Expired");
  expect((await findToken(well.ctx, _id))?.status).toBe("expired");
});
