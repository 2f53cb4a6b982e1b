import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { closePool, db, longWork } from "@/db/client";
import { foldCounts } from "@/db/list-counts";
import { migrateDatabase } from "@/db/migrate";
import { createBusiness } from "@/lib/domain/businesses/create";
import { addMember, createUser } from "@/lib/domain/users/create";

const BATCH_ROWS = 50_000;

/** Six of ten links are paid; one in 20 payments failed. Links and payments are spread evenly over a year, whatever their number. */
async function fillLinks(business: number, count: number): Promise<void> {
  for (let from = 1; from <= count; from += BATCH_ROWS)
    await db.execute(sql`
      with link as (
        insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, reference_2, status, created_at, updated_at, paid_at, mailed, first_opened_at, tried)
        select ${business}, 'test', lpad(to_hex(extract(epoch from moment)::bigint), 8, '0') || lpad(to_hex(i::bigint), 16, '0'),
          'payer' || i || '@example.com', case i % 5 when 4 then 'SGD' else 'MYR' end, 500 + i::bigint * 7919 % 90000, 'Order ' || i, 'REF-' || i,
          case when i % 50 = 0 then 'BATCH-' || i / 1000 end, (array['Paid','Paid','Paid','Paid','Paid','Paid','Active','Active','Expired','Cancelled'])[i % 10 + 1],
          moment, moment, case when i % 10 < 6 then moment + interval '5 minutes' end,
          i % 8 <> 7, case when i % 4 <> 3 then moment + interval '2 minutes' end, i % 10 < 6
        from (select i, now() - interval '1 minute' - (${count}::float8 - i) / ${count}::float8 * interval '364 days' as moment
          from generate_series(${from}::int, least(${from}::int + ${BATCH_ROWS}::int - 1, ${count}::int)) i) rows
        returning id, created_at, currency, amount, title, reference)
      , entry as (insert into directory (kind, key, business_id, mode) select 'payment_link', id, ${business}, 'test' from link)
      insert into payments (business_id, mode, id, status, amount, currency, title, reference, gateway, payment_link_id, created_at, updated_at, started_at, succeeded_at)
      select ${business}, 'test', id, case when failed then 'failed' else 'succeeded' end, amount, currency, title, reference, 'simulator', id,
        created_at, created_at, created_at, case when not failed then created_at + interval '5 minutes' end
      from (select *, substr(reference, 5)::int % 20 = 5 as failed from link where substr(reference, 5)::int % 10 < 6) paid`);
}

async function counted(business: number): Promise<{ links: number; payments: number }> {
  const { rows } = await db.execute<{ links: number; payments: number }>(
    sql`select (select count(*)::int from payment_links where business_id = ${business}) as links, (select count(*)::int from payments where business_id = ${business}) as payments`,
  );
  return rows[0] ?? { links: 0, payments: 0 };
}

/** Makes a migrated database with a business of 1,000 links and one of as many as the first argument says, and an owner; prints them as JSON. */
const large = Number(process.argv[2]);
await migrateDatabase();
const owner = { email: "bench@example.com", password: randomBytes(16).toString("hex") };
const user = await createUser({ ...owner, name: "Bench", emailVerified: true });
const made: Record<string, { businessId: number; links: number; payments: number }> = {};
await longWork(async () => {
  for (const [name, links] of Object.entries({ small: 1_000, large })) {
    const { id } = await createBusiness({ name: `Bench ${name}` });
    await addMember(id, user.id, "owner");
    await fillLinks(id, links);
    const count = await counted(id);
    if (count.links !== links || count.payments !== Math.floor(links * 0.6))
      throw new Error(`${name}: ${JSON.stringify(count)} instead of ${links} links`);
    made[name] = { businessId: id, ...count };
  }
  while ((await foldCounts()) > 0);
  await db.execute(
    sql`vacuum analyze payment_links, payments, directory, payment_link_counts, payment_counts, payment_sums, payment_link_stages`,
  );
});
await closePool();
process.stdout.write(JSON.stringify({ owner, businesses: made }));
