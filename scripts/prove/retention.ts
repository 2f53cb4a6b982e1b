import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { fill } from "./parts/retention/fill";
import { type Install, keepMonths, openInstall } from "./parts/retention/install";
import { batchOf, compareInserts, makeLinks } from "./parts/retention/rounds";
import {
  countOld,
  countYoung,
  DAYS,
  databaseTime,
  KEEPS_ALL,
  longestDelete,
  monthsOf,
  monthsThatStay,
  SETTINGS,
  type Table,
  timeUndone,
} from "./parts/retention/purge";
import { expected, prove, told, waitWhileMoving } from "./parts/proof";

// Half a year of events, mails, webhooks and requests. Writing is as fast as in an empty install, housekeeping drops months instead of deleting
// their rows, and each table keeps what its setting says. Without housekeeping all stays, and deleting the rows takes far longer.
const option = (name: string, otherwise: number) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
const EVENTS = option("events", 3_000_000);
const OTHERS = Math.floor(EVENTS / 6);
const ROUNDS = 60;
const LINKS = 50;
/** On a busy machine two empty installs differ by up to a fifth. Work that grew with the tables would take many times as long. */
const RATIO = 1.25;
const TIMES_SLOWER = 10;
const SLOWEST_MS = 3_000;
const DELETE_SECONDS = 5;
const STILL_SECONDS = 60;
const LIMIT_SECONDS = 30 * 60;
const TABLES = Object.keys(DAYS) as Table[];

const cleaners: (() => unknown)[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  const onClose = (clean: () => unknown) => void cleaners.push(clean);
  const small = await openInstall("small", onClose);
  const large = await openInstall("large", onClose);
  await small.startWorker(KEEPS_ALL);
  const first = await large.startWorker(KEEPS_ALL);
  console.log(`  a batch: ${batchOf(LINKS)}; ${ROUNDS} at each install, in turns`);
  const before = await compareInserts([small, large], ROUNDS, LINKS);
  told("both empty: times longer in the second, to its webhooks", before.text);

  await first.stop();
  await keepMonths();
  const began = performance.now();
  await fill(large.shop.businessId, {
    events: EVENTS,
    request_log: OTHERS,
    mails: OTHERS,
    webhook_deliveries: OTHERS,
    webhook_attempts: OTHERS,
  });
  told("seconds to fill it", ((performance.now() - began) / 1_000).toFixed(0));
  const { rows } = await db.execute<{ size: string }>(
    sql`select pg_size_pretty(pg_database_size(current_database())) as size`,
  );
  told(`events, and of the other four tables ${OTHERS} rows each`, `${EVENTS}, ${rows[0]?.size}`);
  const off = await large.startWorker(KEEPS_ALL);
  await keepsWhatIsKept(large, off.stop, small);
  await drops(large);
}

/** Rows of webhooks have no setting: they go. All else stays. Then inserts are compared. */
async function keepsWhatIsKept(
  large: Install,
  stopWorker: () => Promise<void>,
  small: Install,
): Promise<void> {
  const at = await databaseTime();
  const had = await monthsOf("events");
  await untilGone(["webhook_deliveries"], at, "webhooks");
  expected("settings that keep all: months of events", await monthsOf("events"), had);
  const old = await Promise.all(
    (["events", "mails", "request_log"] as const).map((table) => countOld(table, at)),
  );
  told(
    "settings that keep all: old events, mails, requests that stay",
    old.join(", "),
    old.every((one) => one > 0),
  );
  await db.execute(sql`checkpoint`);
  const after = await compareInserts([small, large], ROUNDS, LINKS);
  told(
    `one is large: times longer, to its webhooks; at most ${RATIO}`,
    after.text,
    Math.max(after.made, after.delivered) <= RATIO,
  );
  await stopWorker();
}

/** Housekeeping with the settings, while links are made. */
async function drops(large: Install): Promise<void> {
  const dropping = await timeUndone(sql`select drop_old_partitions('events', ${DAYS.events})`);
  const deleting = await timeUndone(
    sql`delete from events where id < (select min(ends) from (select partition_bound('events', month_begin(now() - make_interval(days => ${DAYS.events}), 0)) as ends) bounds)`,
  );
  told("seconds to drop old months of events", dropping.toFixed(3));
  told(
    `seconds to delete their rows instead, at least ${TIMES_SLOWER} times`,
    deleting.toFixed(1),
    deleting >= TIMES_SLOWER * dropping,
  );

  const at = await databaseTime();
  const months = new Map<Table, string[]>();
  const young = new Map<Table, number>();
  for (const table of TABLES) {
    months.set(table, await monthsOf(table));
    young.set(table, await countYoung(table, at));
  }
  const times: number[] = [];
  let isOver = false;
  const load = (async () => {
    while (!isOver) await makeLinks(large, LINKS, (ms) => times.push(ms));
    return undefined;
  })().catch((error: Error) => error);
  const worker = await large.startWorker(SETTINGS);
  const began = performance.now();
  let longest = 0;
  await waitWhileMoving(
    async () => {
      longest = Math.max(longest, await longestDelete());
      return tooMany(at);
    },
    (left) => left.length === 0,
    STILL_SECONDS,
    50,
  );
  told("seconds until months are dropped", ((performance.now() - began) / 1_000).toFixed(1));
  longest = Math.max(longest, await untilGone(["request_log"], at, "requests"));
  isOver = true;
  const ended = await load;
  await worker.stop();
  told(
    "meanwhile: calls refused",
    ended instanceof Error ? ended.message : 0,
    !(ended instanceof Error),
  );
  told(
    "meanwhile: links made, slowest in ms",
    `${times.length}, ${Math.max(...times).toFixed(0)}`,
    Math.max(...times) <= SLOWEST_MS,
  );
  told(
    `longest statement that deletes, s; at most ${DELETE_SECONDS}`,
    longest.toFixed(1),
    longest <= DELETE_SECONDS,
  );
  const end = await databaseTime();
  for (const table of ["events", "mails"] as const) {
    const stay = await monthsThatStay(table, end);
    const dropped = (months.get(table)?.length ?? 0) - (await monthsOf(table)).length;
    told(`${table}, ${DAYS[table]} days: months dropped`, dropped, dropped > 0);
    expected(`${table}: months`, await monthsOf(table), stay);
  }
  for (const table of ["request_log", "webhook_deliveries"] as const)
    expected(`${table}, ${DAYS[table]} days: older rows`, await countOld(table, at), 0);
  for (const table of TABLES) {
    const had = young.get(table) ?? 0;
    const gone = had - (await countYoung(table, at));
    told(`${table}: younger rows, and of these gone`, `${had}, ${gone}`, had > 0 && gone === 0);
  }
}

/** Months of events and mails that have to go. */
async function tooMany(at: string): Promise<string[]> {
  const all = await Promise.all(
    (["events", "mails"] as const).map(async (table) => {
      const stay = await monthsThatStay(table, at);
      return (await monthsOf(table)).filter((name) => !stay.includes(name));
    }),
  );
  return all.flat();
}

/** Waits until no row of these tables is older than its days before a moment. Returns the seconds of the longest statement that deleted meanwhile. */
async function untilGone(tables: readonly Table[], at: string, what: string): Promise<number> {
  const began = performance.now();
  let longest = 0;
  let first: number | undefined;
  await waitWhileMoving(
    async () => {
      longest = Math.max(longest, await longestDelete());
      const left = await Promise.all(tables.map((table) => countOld(table, at)));
      const sum = left.reduce((all, one) => all + one, 0);
      first ??= sum;
      return sum;
    },
    (left) => left === 0,
    STILL_SECONDS,
    200,
  );
  const seconds = (performance.now() - began) / 1_000;
  told(`seconds until ${first} old rows of ${what} are deleted`, seconds.toFixed(1));
  return longest;
}

async function cleanUp(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of cleaners.splice(0).reverse()) await clean();
}
