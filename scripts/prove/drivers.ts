import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { closePool, withTransaction } from "@/db/client";
import { connectClient, listenOptions } from "@/db/connection";
import { listen } from "@/db/listen";
import { type Install, newInstall } from "./parts/install";
import { prove, told } from "./parts/proof";

// Transactions while random connections are killed: why `pg` does the queries and postgres.js only listens.
const KILLS = 90;
const KILL_EVERY_MS = 100;
const LOAD_MS = KILLS * KILL_EVERY_MS;
const CONNECTIONS = 8;
const STUCK_MS = 10_000;
const LISTENER_KILLS = 10;
const LIMIT_SECONDS = 5 * 60;

type Driver = "pg" | "postgres.js";
type Result = { committed: number; rolledBack: number; failed: number; worstMs: number };
type Insert = (half: number) => Promise<unknown>;
type Transaction = (work: (insert: Insert) => Promise<void>) => Promise<unknown>;

const [, , mode, driver] = process.argv;
if (mode === "load") {
  process.stdout.write(JSON.stringify(await load(driver as Driver)));
  process.exit(0);
}

/** A transaction of each driver: two inserts under one id. */
function transactionsOf(chosen: Driver): (id: number) => Transaction {
  if (chosen === "pg")
    return (id) => (work) =>
      withTransaction((tx) =>
        work((half) => tx.execute(sql`insert into driver_rows values (${id}, ${half})`)),
      );
  const client = postgres({ ...listenOptions(), max: CONNECTIONS, onnotice: () => undefined });
  return (id) => (work) =>
    client.begin((tx) => work((half) => tx`insert into driver_rows values (${id}, ${half})`));
}

/** Commits two transactions of three and rolls every third back. Ids that divide by three must never be found. */
async function load(chosen: Driver): Promise<Result> {
  const transactionOf = transactionsOf(chosen);
  const result: Result = { committed: 0, rolledBack: 0, failed: 0, worstMs: 0 };
  const end = performance.now() + LOAD_MS;
  let id = 0;
  const rollback = new Error("roll back");
  const one = async () => {
    const own = ++id;
    const began = performance.now();
    const work = transactionOf(own)(async (insert) => {
      await insert(1);
      await insert(2);
      if (own % 3 === 0) throw rollback;
    }).then(
      () => "committed" as const,
      (error: unknown) => (error === rollback ? ("rolledBack" as const) : ("failed" as const)),
    );
    const stuck = pause(STUCK_MS, "failed" as const, { ref: false });
    result[await Promise.race([work, stuck])]++;
    result.worstMs = Math.max(result.worstMs, Math.round(performance.now() - began));
  };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) await one();
    }),
  );
  return result;
}

/** Runs the load in a process of its own, since a driver may end it, and kills its connections meanwhile. */
async function underFire(install: Install, chosen: Driver): Promise<Result | undefined> {
  const admin = await connectClient(install.settings.DATABASE_URL);
  await admin.query("drop table if exists driver_rows");
  await admin.query("create table driver_rows (id int, half int)");
  const child = spawn(process.execPath, [process.argv[1] ?? "", "load", chosen], {
    env: { ...process.env, ...install.settings },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  const ended = new Promise((resolve) => child.once("close", resolve));
  let killed = 0;
  while (child.exitCode === null && child.signalCode === null && killed < KILLS) {
    await pause(KILL_EVERY_MS);
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query ~ 'driver_rows|begin|commit|rollback'
         order by random() limit 1
       ) as one`,
    );
    killed += rowCount ?? 0;
  }
  await ended;
  const { rows } = await admin.query<{ undone: number; torn: number }>(
    `select count(*) filter (where id % 3 = 0)::int as undone, count(*) filter (where halves <> 2)::int as torn
     from (select id, count(*) as halves from driver_rows group by id) as found`,
  );
  await admin.end();
  const result = text === "" ? undefined : (JSON.parse(text) as Result);
  const mustHold = chosen === "pg";
  const { undone = 0, torn = 0 } = rows[0] ?? {};
  told(`${chosen}: connections killed`, killed, killed > 0);
  told(`${chosen}: lived`, result ? "yes" : "no, the process ended", !mustHold || Boolean(result));
  told(`${chosen}: rolled back, and committed after all`, undone, !mustHold || undone === 0);
  told(`${chosen}: committed by half`, torn, !mustHold || torn === 0);
  if (result) {
    told(`${chosen}: committed`, result.committed, !mustHold || result.committed > 100);
    told(`${chosen}: failed`, result.failed, !mustHold || result.failed <= killed);
    told(`${chosen}: the slowest transaction, ms`, result.worstMs);
  }
  return result;
}

/** Kills the listening connection again and again; each time the subscription must come back. */
async function listenersReturn(): Promise<number> {
  let subscribed = 0;
  const stop = listen("drivers_proof", { notice: () => undefined, ready: () => subscribed++ });
  const admin = await connectClient();
  const until = async (count: number) => {
    for (let waited = 0; subscribed < count && waited < STUCK_MS; waited += 50) await pause(50);
  };
  await until(1);
  for (let round = 1; round <= LISTENER_KILLS; round++) {
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kutip live changes'",
    );
    await until(round + 1);
  }
  stop();
  await admin.end();
  return subscribed - 1;
}

let install: Install | undefined;
await prove(
  async () => {
    install = await newInstall();
    await underFire(install, "pg");
    await underFire(install, "postgres.js");
    const returned = await listenersReturn();
    told(`listening: subscribed again, of ${LISTENER_KILLS}`, returned, returned >= LISTENER_KILLS);
    await closePool();
  },
  () => install?.remove(),
  LIMIT_SECONDS,
);
