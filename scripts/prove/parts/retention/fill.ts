import { type SQL, sql } from "drizzle-orm";
import { db, longWork, withTransaction } from "@/db/client";
import { MONTHS } from "./install";

const BATCH = 100_000;

/** Rows of some months, spread evenly: each table and how its row of a moment is made. */
const rows = (business: number, endpoint: string): Record<string, SQL> => ({
  events: sql`insert into events (business_id, mode, id, type, object_id, data, actor, created_at)
    select ${business}, 'test', second || tail, 'payment_link.created', second || tail, jsonb_build_object('_id', second || tail, 'title', 'Order ' || i, 'note', words), '{"kind":"clock"}', moment from made`,
  request_log: sql`insert into request_log (business_id, mode, id, method, path, status, duration, ip_address, request_headers, request_body, response_body, created_at)
    select ${business}, 'test', (millisecond || '7' || substr(words, 1, 19))::uuid, 'POST', '/payment-links', 200, 12, '127.0.0.1', '{}', words, words, moment from made`,
  mails: sql`insert into mails (business_id, mode, id, kind, cause, recipient, subject, html, text, status, sent_at, created_at)
    select ${business}, 'test', second || tail, 'payment_request', second || tail, 'payer' || i || '@example.com', 'Order ' || i, words, words, 'sent', moment, moment from made`,
  webhook_deliveries: sql`insert into webhook_deliveries (business_id, mode, id, endpoint_id, event_id, event_type, status, attempts, delivered_at, created_at, updated_at)
    select ${business}, 'test', second || tail, ${endpoint}, second || tail, 'payment_link.created', 'delivered', 1, moment, moment, moment from made`,
  webhook_attempts: sql`insert into webhook_attempts (business_id, delivery_id, number, status_code, duration_ms, started_at)
    select ${business}, second || tail, 1, 200, 12, moment from made`,
});

/** Fills the tables with so many rows of the past. Triggers and references are left out. */
export async function fill(
  business: number,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const { rows: found } = await db.execute<{ id: string }>(
    sql`select id from webhook_endpoints where business_id = ${business}`,
  );
  const inserts = rows(business, found[0]?.id ?? "");
  const fillTable = async (table: string) => {
    const count = counts[table] ?? 0;
    for (let from = 0; from < count; from += BATCH)
      await withTransaction(async (tx) => {
        await tx.execute(sql`set local session_replication_role = replica`);
        await tx.execute(sql`with made as materialized (
          select i, moment, lpad(to_hex(extract(epoch from moment)::bigint), 8, '0') as second, lpad(to_hex(i), 16, '0') as tail,
            lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') as millisecond, md5(i::text) || md5(random()::text) as words
          from (select i, first + i / ${count}::float8 * (now() - interval '1 minute' - first) as moment
            from generate_series(${from}::bigint, least(${from}::bigint + ${BATCH}::bigint, ${count}::bigint) - 1) i, month_begin(now(), ${-MONTHS}::int) first) moments)
          ${inserts[table]}`);
      });
  };
  await longWork(async () => {
    const others = Object.keys(inserts).filter((table) => table !== "events");
    const fillOthers = async () => {
      for (const table of others) await fillTable(table);
    };
    await Promise.all([fillTable("events"), fillOthers()]);
    for (const table of Object.keys(inserts)) await db.execute(sql.raw(`vacuum analyze ${table}`));
    await db.execute(sql`checkpoint`);
  });
}
