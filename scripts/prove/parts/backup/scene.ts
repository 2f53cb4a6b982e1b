import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import type { OnClose } from "../drill-parts";
import { createLink } from "../failover/probes";
import { chargesOf, type GatewayShop, openGatewayShop, renewalsOf } from "../failover/shop";
import type { Traders } from "../failover/traders";
import { payLink } from "../image/payment";
import { type Process, processOf } from "../processes";
import { expected, told, waitWhileMoving } from "../proof";
import { freePort, noLimits } from "../service";

export const TRADERS = 3;
const FILLED_LINKS = 60_000;
const FILL_BATCH = 10_000;
const RENEWALS = 150;
const RENEWALS_PER_SECOND = 1;
const STILL_SECONDS = 60;
/** Links that are made before the moment of a restore, and paid after it. */
const STOCK = 20;

/** A web process and a worker on one database. */
export type Running = { worker: Process; kill: () => Promise<void> };

/** A shop with an account at a gateway that has books of its own, and what starts Kutip for it on any database. */
export type Scene = {
  url: string;
  shop: GatewayShop;
  /** Settings of each of Kutip's processes but for the database. */
  settings: Record<string, string>;
  start: (databaseUrl: string, more?: Record<string, string>) => Promise<Running>;
  startWorker: (databaseUrl: string, more?: Record<string, string>) => Promise<Process>;
};

/** Makes one in an empty database, with enough rows that a backup takes a while. */
export async function openScene(
  folder: string,
  databaseUrl: string,
  onClose: OnClose,
): Promise<Scene> {
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...noLimits,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    STRIPE_API_URL: peer.origin,
    PORT: String(port),
    BASE_URL: url,
    WORKER_POLL_MS: "100",
    WEBHOOK_ALLOW_PRIVATE: "true",
    LOG_LEVEL: "warn",
    // Scratch databases are made below it.
    TMPDIR: folder,
    KUTIP_DATA_DIR: path.join(folder, "none"),
  };
  provideEnv({ ...settings, DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" });
  await migrateDatabase();
  const shop = await openGatewayShop(peer, url, {
    renewals: RENEWALS,
    perSecond: RENEWALS_PER_SECOND,
  });
  await fill(shop.businessId);
  const start = async (name: "server" | "worker", more: Record<string, string>) => {
    const set = { ...settings, ...more, METRICS_ADDRESS: `127.0.0.1:${await freePort()}` };
    const one = processOf(name, set, { log: path.join(folder, `${name}.log`) });
    onClose(() => one.kill());
    await one.start();
    return one;
  };
  const startWorker = (DATABASE_URL: string, more = {}) =>
    start("worker", { DATABASE_URL, ...more });
  return {
    url,
    shop,
    settings,
    startWorker,
    start: async (DATABASE_URL, more = {}) => {
      const web = await start("server", { DATABASE_URL });
      const worker = await startWorker(DATABASE_URL, more);
      return {
        worker,
        kill: async () => void (await Promise.all([web.kill(), worker.kill()])),
      };
    },
  };
}

/** Lets this process, which compares books, read another database. */
export async function readFrom(databaseUrl: string): Promise<void> {
  await closePool();
  provideEnv({ DATABASE_URL: databaseUrl });
}

async function fill(businessId: number): Promise<void> {
  for (let from = 1; from <= FILLED_LINKS; from += FILL_BATCH)
    await db.execute(sql`
      with link as (
        insert into payment_links (business_id, mode, id, email, currency, amount, title, description)
        select ${businessId}, 'test', lpad(to_hex(extract(epoch from now())::bigint), 8, '0') || lpad(to_hex(i), 16, '0'),
          'payer' || i % 1000 || '@example.com', 'MYR', 1250, 'Order ' || i, (select string_agg(md5(random()::text), '') from generate_series(1, 8 + i % 2))
        from generate_series(${from}::int, ${from}::int + ${FILL_BATCH}::int - 1) i returning id)
      insert into directory (kind, key, business_id, mode) select 'payment_link', id, ${businessId}, 'test' from link`);
}

/** Makes links that are to be paid later; titles by id. */
export async function makeStock({ url, shop }: Scene): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (let number = 0; number < STOCK; number++) {
    const title = `Stock ${number}`;
    const id = await createLink(url, shop.key, title);
    if (!id) throw new Error("a link could not be made");
    made.set(id, title);
  }
  return made;
}

/** Ends the load once all renewals are charged, which are made due now; returns how many charges the gateway has made. */
export async function endLoad({ shop }: Scene, traders: Traders): Promise<number> {
  const before = (await renewalsOf(shop)).paid;
  await db.execute(
    sql`update subscription_periods set due_at = now(), next_attempt_at = now() where business_id = ${shop.businessId} and number = 1 and state = 'due' and next_attempt_at > now()`,
  );
  await waitWhileMoving(
    () => renewalsOf(shop),
    ({ due }) => due === 0,
    STILL_SECONDS,
  );
  await traders.stop(60);
  const { seen } = traders;
  told(
    `renewals, of ${RENEWALS}: charged under load, then at once`,
    `${before}, ${RENEWALS - before}`,
  );
  told(
    `load: ${TRADERS} shops with a payer: links, payments, reads`,
    `${seen.creates}, ${seen.payments}, ${seen.reads}; load average ${os.loadavg()[0]?.toFixed(1)}`,
    seen.payments > 0,
  );
  expected("answers that should never be given", seen.wrong, []);
  return chargesOf(shop).length;
}

/** Pays links as their payers do. */
export async function payStock({ url }: Scene, stock: Iterable<string>): Promise<void> {
  for (const id of stock) await payLink(url, id);
}
