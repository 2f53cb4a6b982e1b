import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { migrateDatabase } from "@/db/migrate";
import { replicaRead, replicaState } from "@/db/replica";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { overview } from "@/lib/domain/overview/get";
import { create } from "@/lib/domain/payment-links/create";
import { exportCsv } from "@/lib/domain/payment-links/export";
import { list } from "@/lib/domain/payment-links/list";
import { find } from "@/lib/domain/search/find";
import { provideEnv } from "@/lib/env";
import { metrics } from "@/lib/kernel/metrics";
import { primaryAndStandby } from "./standby";

/** So that the log of this server is ahead of the others'. */
const WRITE_A_LOT =
  "create table filler as select repeat('x', 200) from generate_series(1, 300000)";
const WAIT = { timeout: 60_000, interval: 50 };

let servers: Awaited<ReturnType<typeof primaryAndStandby>>;
let ctx: Ctx;

beforeAll(async () => {
  servers = await primaryAndStandby(async (url) => {
    await connectTo(url);
    await migrateDatabase();
    await closePool();
  });
  await connectTo(servers.primary.url, servers.standby.url);
});
beforeEach(async () => {
  const { id } = await createBusiness({ name: "Tide & Co" });
  ctx = systemCtx({ businessId: id, mode: "test" }, { kind: "operator" }, "replica");
  await replicaIsRead();
});
afterAll(async () => {
  await closePool();
  servers.remove();
});

async function connectTo(primary: string, replica = ""): Promise<void> {
  provideEnv({ DATABASE_URL: primary, DATABASE_REPLICA_URL: replica });
  await closePool();
}

const newLink = () =>
  create(ctx, { email: "ana@example.com", currency: "MYR", amount: 1250, title: "Kelas" });
const idsListed = async (query: Parameters<typeof list>[1] = {}) =>
  (await list(ctx, query, new URLSearchParams(query as Record<string, string>))).data.map(
    ({ _id }) => _id,
  );
/** Whether a read runs on the replica now. */
const onReplica = () =>
  replicaRead(async () => {
    const { rows } = await db.execute<{ yes: boolean }>(sql`select pg_is_in_recovery() as yes`);
    return rows[0]?.yes;
  });
const replicaIsRead = () => vi.waitFor(async () => expect(await onReplica()).toBe(true), WAIT);

async function readsBy(body: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts = async () =>
    new Map(
      (await metrics.getSingleMetric("kutip_replica_reads_total")?.get())?.values.map((one) => [
        String(one.labels.outcome),
        one.value,
      ]),
    );
  const before = await counts();
  await body();
  const after = [...(await counts())].map(([name, value]) => [
    name,
    value - (before.get(name) ?? 0),
  ]);
  return Object.fromEntries(after.filter(([, value]) => value !== 0)) as Record<string, number>;
}

async function onStandby(
  statement: string,
  url = servers.standby.url,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  return client
    .query(statement)
    .then(({ rows }) => rows as Record<string, unknown>[])
    .finally(() => client.end());
}

test("lists by either paginator, searches, exports and the overview read on the replica", async () => {
  const { _id } = await newLink();
  await replicaIsRead();
  const reads: Record<string, () => Promise<unknown>> = {
    cursor: async () => expect(await idsListed()).toEqual([_id]),
    page: async () => expect(await idsListed({ page: 1 })).toEqual([_id]),
    q: async () => expect(await idsListed({ q: "Kelas" })).toEqual([_id]),
    search: async () => expect(await find(ctx, "Kelas")).toHaveLength(1),
    export: async () => {
      expect(await new Response(await exportCsv(ctx, {})).text()).toContain(_id);
    },
    overview: async () =>
      expect(
        (await overview(ctx, {})).currencies.find(({ currency }) => currency === "MYR")?.open_count,
      ).toBe(1),
  };
  for (const [name, read] of Object.entries(reads))
    expect([name, await readsBy(read)]).toEqual([name, { replica: 1 }]);
});

test("a replica that is behind is not read: what any process has just written is in the list", async () => {
  await onStandby("select pg_wal_replay_pause()");
  await vi.waitFor(async () => {
    const [row] = await onStandby("select pg_get_wal_replay_pause_state() as state");
    expect(row?.state).toBe("paused");
  }, WAIT);
  try {
    const { _id } = await newLink();
    expect(await onStandby(`select from payment_links where id = '${_id}'`)).toEqual([]);
    expect(await readsBy(async () => expect(await idsListed()).toEqual([_id]))).toEqual({
      behind: 1,
    });
    // Nothing is asked of the replica for a moment, so that each call does not wait for it.
    expect(await readsBy(async () => expect(await idsListed()).toEqual([_id]))).toEqual({});
  } finally {
    await onStandby("select pg_wal_replay_resume()");
  }
  await replicaIsRead();
});

test("fifty writes, each followed by a list: the list has the link that was just written", async () => {
  for (let count = 1; count <= 50; count++) {
    const { _id } = await newLink();
    expect((await idsListed())[0]).toBe(_id);
  }
});

test("the same holds on a server that commits without waiting for the disk", async () => {
  const onPrimary = (statement: string) => onStandby(statement, servers.primary.url);
  const set = async (change: string, waits: string) => {
    await onPrimary(`alter system ${change}`);
    await onPrimary("select pg_reload_conf()");
    await vi.waitFor(async () => {
      expect(await onPrimary("show synchronous_commit")).toEqual([{ synchronous_commit: waits }]);
    }, WAIT);
    await connectTo(servers.primary.url, servers.standby.url);
  };
  await onPrimary("alter system set wal_writer_delay = '1s'");
  await set("set synchronous_commit = off", "off");
  try {
    for (let count = 1; count <= 3; count++) {
      await replicaIsRead();
      const { _id } = await newLink();
      expect((await idsListed())[0]).toBe(_id);
    }
  } finally {
    await onPrimary("alter system reset wal_writer_delay");
    await set("reset synchronous_commit", "on");
  }
  await replicaIsRead();
});

test("a read whose connection to the replica is ended in between runs on the primary", async () => {
  const end = sql`select case when pg_is_in_recovery() then pg_terminate_backend(pg_backend_pid()) end as ended`;
  const read = () => replicaRead(async () => (await db.execute(end)).rows);
  expect(await readsBy(async () => expect(await read()).toEqual([{ ended: null }]))).toEqual({
    away: 1,
  });
});

test("a replica that stops costs no answer, and is read again when it is back", async () => {
  const { _id } = await newLink();
  servers.standby.stop();
  expect(await readsBy(async () => expect(await idsListed()).toEqual([_id]))).toEqual({ away: 1 });
  await servers.standby.start();
  await replicaIsRead();
});

test("a replica of another server is never read", async () => {
  await newLink();
  const other = await primaryAndStandby(async (url) => {
    const client = new pg.Client(connectionOptions(url));
    await client.connect();
    await client.query(WRITE_A_LOT);
    await client.end();
  });
  try {
    await connectTo(servers.primary.url, other.standby.url);
    expect(await onReplica()).toBe(false);
  } finally {
    await connectTo(servers.primary.url, servers.standby.url);
    other.remove();
  }
});

test("an address that leads to the primary itself is no replica", async () => {
  try {
    await connectTo(servers.primary.url, servers.primary.url);
    expect(await replicaState()).toBe("away");
    expect(await onReplica()).toBe(false);
  } finally {
    await connectTo(servers.primary.url, servers.standby.url);
  }
});

test("where the address of the primary leads to a standby, reads go there as without a replica", async () => {
  const { _id } = await newLink();
  await replicaIsRead();
  try {
    await connectTo(servers.standby.url, servers.standby.url);
    expect(await readsBy(async () => expect(await idsListed()).toEqual([_id]))).toEqual({
      away: 1,
    });
    expect(await replicaState()).toBe("away");
  } finally {
    await connectTo(servers.primary.url, servers.standby.url);
  }
});

test("a replica that was promoted, or stays on the timeline of a primary that was replaced, is never read", async () => {
  const other = await primaryAndStandby(async () => undefined);
  try {
    await connectTo(other.primary.url, other.standby.url);
    await replicaIsRead();
    await onStandby("select pg_promote(true, 60)", other.standby.url);
    await vi.waitFor(async () => expect(await readsBy(onReplica)).toEqual({ away: 1 }), WAIT);
    await onStandby(WRITE_A_LOT, other.primary.url);
    other.primary.stop();
    other.primary.makeStandby();
    await other.primary.start();
    await connectTo(other.standby.url, other.primary.url);
    await vi.waitFor(async () => expect(await readsBy(onReplica)).toEqual({ away: 1 }), WAIT);
  } finally {
    await connectTo(servers.primary.url, servers.standby.url);
    other.remove();
  }
});
