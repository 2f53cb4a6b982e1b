import { sql } from "drizzle-orm";
import { together } from "@/db/batched";
import { db } from "@/db/client";
import { blank, type Due, isAlive, isDue, isFree, type Tenant } from "./claim-rows";

type Asked = { due: Due; only?: number | string | undefined };

/** How long a look waits for the questions of other jobs. So a busy worker looks a few times a second, however many jobs it has. */
const GATHER_MS = 50;

/**
 * The tenants with work that is due and free, in their order, where businesses are spread over servers. What jobs ask meanwhile travels in one
 * statement: each shard is asked once about all of them.
 */
export const unscopedLookOnShards = together<Asked, Tenant[]>(look, 1, 200, GATHER_MS);

async function look(asked: Asked[]): Promise<Tenant[][]> {
  const { rows: workers } = await db.execute<{ id: string }>(isAlive);
  const alive = workers.map(({ id }) => id);
  const parts = asked.map(({ due, only }, at) => {
    const [business, account] = due.fairBy;
    if (!business) throw new Error("work that is fair by nothing");
    return sql`(select distinct ${sql.raw(String(at))} as job, ${business} as business_id, ${account ? blank(account) : sql.raw("''")}::text as account from ${due.table}
      where ${isDue(due)} and ${isFree(due.table, alive)}${only === undefined ? sql.raw("") : sql` and ${business} = ${only}`})`;
  });
  const { rows } = await db.execute<{ job: number; business_id: number; account: string }>(
    sql`select * from (${sql.join(parts, sql` union all `)}) found order by job, business_id, account collate "C"`,
  );
  const found = asked.map((): Tenant[] => []);
  for (const { job, business_id, account } of rows)
    found[job]?.push(asked[job]?.due.fairBy[1] ? [business_id, account] : [business_id]);
  return found;
}
