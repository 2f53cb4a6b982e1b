import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { newLink, newShop } from "../money/setting";
import { runOnce } from "../run-once";

afterAll(closePool);

test("links that expire at the same moment share statements, and each has its event", async () => {
  const shop = await newShop();
  const { businessId } = shop.ctx;
  await Promise.all(Array.from({ length: 60 }, () => newLink(shop)));
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 hour' where business_id = ${businessId}`,
  );
  const sent = vi.spyOn(pg.Client.prototype, "query");
  expect(await runOnce(linkExpiry, businessId)).toBe(60);
  const statements = sent.mock.calls.length;
  sent.mockRestore();
  expect(statements).toBeLessThanOrEqual(15);
  const { rows } = await db.execute<{ links: number; events: number }>(sql`
    select count(*)::int as links, count(distinct e.object_id)::int as events from payment_links l
    join events e on e.object_id = l.id and e.type = 'payment_link.expired' where l.business_id = ${businessId} and l.status = 'Expired'`);
  expect(rows).toEqual([{ links: 60, events: 60 }]);
});
