import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db, withTransaction } from "@/db/client";
import { systemCtx } from "@/lib/domain/context";
import { insertEndpoint } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { dueAtOnce, progressOf } from "../../prove/parts/renewals";
import { type Service, startService } from "../../prove/parts/service";
import { familyMs, statOf } from "../processor";
import type { Cost, Costs, Work } from "./model";

const [CREATES, READS, PAYMENTS, RENEWALS] = [2_000, 2_000, 200, 400];
const AT_ONCE = 8;
const IDLE_SECONDS = 10;
/** Postgres publishes what a connection did within a second. */
const PUBLISHED_MS = 1_500;
const LIMIT_MS = 300_000;

/** Starts an install, does each kind of work many times, and returns what one takes. What the idle install takes in the same time is left out. */
export async function measureCosts(): Promise<Costs> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const limits = ["KEY", "BUSINESS", "ANONYMOUS", "PAYER", "COST"].map((name) => [
    `RATE_LIMIT_${name}`,
    "0",
  ]);
  const service = await startService({
    ...Object.fromEntries(limits),
    WEBHOOK_ALLOW_PRIVATE: "true",
  });
  try {
    service.join();
    await subscribeTo(service, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
    return await costsOf(service);
  } finally {
    await service.stop();
    receiver.close();
  }
}

async function subscribeTo({ businessId }: Service, url: string): Promise<void> {
  const ctx = systemCtx({ businessId, mode: "test" }, { kind: "operator" }, "bench");
  const endpoint = { url, description: null, events: null, enabled: true };
  await withTransaction((tx) =>
    insertEndpoint(ctx, tx, { ...endpoint, secret: newSecret().sealed }),
  );
}

async function costsOf(service: Service): Promise<Costs> {
  const call = callerOf(service);
  const { _id } = await call.create();
  // The first calls compile, and fill caches.
  await each(READS / 4, async () => void (await call.get(_id)));
  await each(READS / 4, async () => void (await call.create()));
  await quiet();
  const before = await look(service);
  await pause(IDLE_SECONDS * 1_000);
  const idle = difference(before, await look(service), 1);
  const costs: Partial<Costs> = {};
  const measured = async (work: Work, count: number, run: () => Promise<void>) => {
    await quiet();
    const from = await look(service);
    await run();
    await quiet();
    const to = await look(service);
    const seconds = to.seconds - from.seconds;
    const rest = Object.entries(difference(from, to, count)).map(([key, value]) => [
      key,
      Math.max(0, value - (idle[key as keyof Cost] * seconds) / idle.seconds / count),
    ]);
    const { seconds: _seconds, ...cost } = Object.fromEntries(rest) as Seen;
    costs[work] = cost;
  };
  await measured("create", CREATES, () => each(CREATES, async () => void (await call.create())));
  await measured("get", READS, () => each(READS, () => call.get(_id)));
  await measured("list", READS, () => each(READS, call.list));
  await measured("page", READS, () => each(READS, () => call.page(_id)));
  const links: { payment_url: string }[] = [];
  await each(PAYMENTS, async () => void links.push(await call.create()));
  await measured("pay", PAYMENTS, () =>
    each(PAYMENTS, async () =>
      visitAsPayer(service.url, links.pop()?.payment_url ?? "", "approve"),
    ),
  );
  await measured("renew", RENEWALS, renew);
  return costs as Costs;
}

async function renew(): Promise<void> {
  const due = await dueAtOnce(RENEWALS);
  const began = performance.now();
  for (;;) {
    const { paid, open } = await progressOf(due);
    if (paid === RENEWALS && open === 0) return;
    if (performance.now() - began > LIMIT_MS) throw new Error("the renewals take too long");
    await pause(250);
  }
}

function callerOf({ url, key }: Service) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/${path}`, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return text;
  };
  const body = JSON.stringify({
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Satay for two",
    send_email: false,
  });
  return {
    create: async () =>
      (
        JSON.parse(await ask("api/payment-links", { method: "POST", body })) as {
          data: { _id: string; payment_url: string };
        }
      ).data,
    get: async (id: string) => void (await ask(`api/payment-links/${id}`)),
    list: async () => void (await ask("api/payment-links?per_page=20")),
    page: async (id: string) => void (await ask(`pay?id=${id}&test=true`)),
  };
}

async function each(count: number, one: () => Promise<void>): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

/** Waits until the worker has nothing more to do. */
async function quiet(): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { rows } = await db.execute<{ n: number }>(sql`
      select (select count(*) from event_queue)::int + (select count(*) from webhook_deliveries where next_try_at is not null)::int as n`);
    if (rows[0]?.n === 0) break;
    if (performance.now() - began > LIMIT_MS) throw new Error("the worker does not come to rest");
    await pause(100);
  }
  await pause(PUBLISHED_MS);
}

type Seen = Cost & { seconds: number };

async function look(service: Service): Promise<Seen> {
  const { rows } = await db.execute<{
    wal: number;
    transactions: number;
    rows: number;
    disk: number;
    pid: number;
  }>(sql`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, pg_backend_pid() as pid, pg_database_size(current_database())::float8 as disk,
      (select xact_commit + xact_rollback from pg_stat_database where datname = current_database())::float8 as transactions,
      (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables)::float8 as rows`);
  const [seen] = rows;
  if (!seen) throw new Error("no figures");
  const postmaster = statOf(seen.pid)?.parent ?? 0;
  return {
    seconds: performance.now() / 1_000,
    webMs: statOf(service.pidOf("web"))?.ms ?? 0,
    workerMs: statOf(service.pidOf("worker"))?.ms ?? 0,
    databaseMs: familyMs(postmaster),
    walBytes: seen.wal,
    transactions: seen.transactions,
    rows: seen.rows,
    diskBytes: seen.disk,
  };
}

const difference = (from: Seen, to: Seen, count: number): Seen =>
  Object.fromEntries(
    Object.entries(to).map(([key, value]) => [
      key,
      (value - from[key as keyof Seen]) / (key === "seconds" ? 1 : count),
    ]),
  ) as Seen;
