import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { partitioned } from "@/db/partitions";
import { systemCtx } from "@/lib/domain/context";
import type { OnClose } from "../drill-parts";
import { newInstall } from "../install";
import { type Process, processOf } from "../processes";
import { freePort, noLimits } from "../service";
import { openShop, type Shop } from "../shop";
import { type Receiver, takes, tell } from "../webhooks";

/** How many months before this one have partitions, as an install has that is so old. */
export const MONTHS = 6;

/** An install with a web process, a shop, and an endpoint that takes every webhook. */
export type Install = {
  name: string;
  url: string;
  shop: Shop;
  receiver: Receiver;
  startWorker: (settings: Record<string, string>) => Promise<Process>;
};

/** Makes one. `onClose` gets what ends it. */
export async function openInstall(name: string, onClose: OnClose): Promise<Install> {
  await closePool();
  const install = await newInstall({ maxConnections: 60 });
  onClose(() => install.remove());
  await makeMonths();
  const shop = await openShop("Night Market");
  const ctx = systemCtx(
    { businessId: shop.businessId, mode: "test" },
    { kind: "operator" },
    "drill",
  );
  const receiver = await tell(ctx, name, takes);
  onClose(() => receiver.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async (entry: "server" | "worker", more: Record<string, string>) => {
    const one = processOf(entry, {
      ...install.settings,
      ...noLimits,
      PORT: String(port),
      BASE_URL: url,
      METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
      WORKER_POLL_MS: "100",
      WEBHOOK_ALLOW_PRIVATE: "true",
      ...more,
    });
    onClose(() => one.kill());
    await one.start();
    return one;
  };
  await start("server", {});
  return {
    name,
    url,
    shop,
    receiver,
    startWorker: (settings) => start("worker", settings),
  };
}

/** The first partition of a new install holds all of its past. Here each past month gets its own. */
async function makeMonths(): Promise<void> {
  await db.execute(sql`alter table webhook_attempts drop constraint webhook_attempts_delivery`);
  for (const parent of partitioned) await db.execute(sql.raw(`drop table ${parent}_first`));
  await keepMonths();
  await db.execute(
    sql`alter table webhook_attempts add constraint webhook_attempts_delivery foreign key (business_id, delivery_id) references webhook_deliveries (business_id, id) on delete cascade`,
  );
}

/** Makes the past months that are missing: housekeeping drops empty ones. */
export async function keepMonths(): Promise<void> {
  const months = sql.raw(String(MONTHS));
  for (const parent of partitioned.map((name) => sql.raw(name)))
    await db.execute(
      sql`do $$ declare child text; begin
        for n in -${months}..0 loop
          child := '${parent}_' || to_char(month_begin(now(), n) at time zone 'UTC', 'YYYYMM');
          continue when to_regclass(child) is not null;
          execute format('create table %I (like ${parent} including defaults including constraints including storage)', child);
          execute format('alter table ${parent} attach partition %I for values from (%L) to (%L)', child,
            partition_bound('${parent}', month_begin(now(), n)), partition_bound('${parent}', month_begin(now(), n + 1)));
          perform copy_statement_triggers('${parent}', child);
        end loop;
      end $$`,
    );
}
