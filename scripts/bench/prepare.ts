import { sql } from "drizzle-orm";
import { closePool, db, longWork } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { createKey } from "@/lib/domain/api-keys/create";
import { createBusiness } from "@/lib/domain/businesses/create";

/** Makes a migrated database with a business of 1,000 and one of 100,000 links; prints what the load needs as JSON. */
await migrateDatabase();
const made: Record<string, { businessId: number; key: string; linkId: string }> = {};
await longWork(async () => {
  for (const [name, count] of [
    ["small", 1_000],
    ["large", 100_000],
  ] as const) {
    const business = await createBusiness({ name: `Bench ${name}` });
    const { secret } = await createKey({ businessId: business.id, mode: "test" }, "bench");
    await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, created_at)
    select ${business.id}, 'test', lpad(to_hex(${business.id}::int), 8, '0') || lpad(to_hex(i::bigint), 16, '0'), 'payer' || i || '@example.com', 'MYR', 500 + i % 90000,
      'Order ' || i, 'REF-' || i, now() - make_interval(secs => ${count}::int - i)
    from generate_series(1, ${count}::int) i`);
    await db.execute(
      sql`insert into directory (kind, key, business_id, mode) select 'payment_link', id, business_id, mode from payment_links where business_id = ${business.id}`,
    );
    const { rows } = await db.execute<{ id: string }>(
      sql`select id from payment_links where business_id = ${business.id} order by created_at desc limit 1`,
    );
    made[name] = { businessId: business.id, key: secret, linkId: rows[0]?.id ?? "" };
  }
  await db.execute(sql`vacuum analyze payment_links, directory`);
});
await closePool();
process.stdout.write(JSON.stringify(made));
