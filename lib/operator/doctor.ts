import { existsSync, statfsSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import { readSecretState } from "@/db/active-secret";
import { db } from "@/db/client";
import { isDistributed } from "@/db/distributed";
import { Refusal } from "@/db/embedded/refusal";
import { oldestBlocker } from "@/db/event-horizon";
import { hasFutureEvents } from "@/db/events-order";
import { pendingMigrations } from "@/db/migrate";
import { tablesWithStrays } from "@/db/partitions";
import { replicaState } from "@/db/replica";
import { isInUse } from "@/db/transfer/target";
import { isRestoreUnfinished, UNFINISHED_RESTORE } from "@/db/unfinished-restore";
import {
  unscopedCountBusinesses,
  unscopedListBusinesses,
  unscopedListZones,
} from "@/lib/domain/businesses/rows";
import { agreedZones } from "@/lib/domain/businesses/zone-rows";
import { systemCtx } from "@/lib/domain/context";
import { goLive } from "@/lib/domain/overview/go-live";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { env } from "@/lib/env";
import { unscopedWorkHealth } from "@/lib/jobs/health";
import { errorForLog } from "@/lib/kernel/error-text";
import { version } from "@/lib/kernel/version";
import { completeInstall } from "@/lib/supervisor/install";
import type { Install } from "@/lib/supervisor/open-database";
import { allJobs } from "@/lib/worker/all-jobs";
import { readSchedule } from "@/lib/worker/backup-rows";
import { sinceRestore } from "./since-restore";
import { print } from "./usage";
import { withInstall } from "./with-install";

type Finding = { ok: boolean; text: string };
const good = (text: string): Finding => ({ ok: true, text });
const bad = (text: string): Finding => ({ ok: false, text });

const ROOM_MIB = 1024;
const BLOCKER_SECONDS = 60;

/** Says what is in order and what is not; the exit code is 1 when something is not. */
export async function doctor(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const findings = await withInstall(
    async (install) => [
      ...(await database(install)),
      ...files(install),
      ...settings(),
      await server(),
    ],
    "open",
  );
  for (const { ok, text } of findings) print(`${ok ? "ok  " : "bad "} ${text}`);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function database(install: Install): Promise<Finding[]> {
  if (await isRestoreUnfinished()) return [bad(`database: ${UNFINISHED_RESTORE}`)];
  const pending = await pendingMigrations();
  const where = install.embedded
    ? `embedded, in ${install.places.folder}`
    : "the server of DATABASE_URL";
  if (pending > 0)
    return [
      bad(`database: ${pending} migrations are missing: run \`npm run -s kutip -- migrate\``),
    ];
  try {
    await completeInstall(install);
  } catch (error) {
    const what = error instanceof Refusal ? "secret" : "database";
    return [bad(`${what}: ${errorForLog(error).message}`)];
  }
  const events = (await hasFutureEvents())
    ? bad(
        "events: some come from another server and are not listed: run `npm run -s kutip -- backup:restored`",
      )
    : good("events: readable");
  return [
    good(`database: ${where}, up to date with Kutip ${version}`),
    await secret(),
    events,
    await months(),
    await transactions(),
    ...(await replica()),
    await ledger(),
    ...(await work()),
    ...(await paymentSearch()),
    await backups(),
    ...(await timeZones()),
    ...(await liveMode()),
  ];
}

const MAX_BUSINESSES = 20;

/** What each business still needs before it takes real money. It is no fault: many never go live. */
async function liveMode(): Promise<Finding[]> {
  const businesses = await unscopedListBusinesses(MAX_BUSINESSES);
  const others = (await unscopedCountBusinesses()) - businesses.length;
  const findings = await Promise.all(
    businesses.map(async ({ id, name }) => {
      const ctx = systemCtx({ businessId: id, mode: "live" }, { kind: "operator" }, "doctor");
      const { done, steps } = await goLive(ctx);
      const missing = steps
        .filter((one) => !one.done && !one.optional)
        .map(({ step }) => step.replaceAll("_", " "));
      return good(
        `go live: business ${id} (${name}) ${done ? "is ready" : `still needs ${missing.join(", ")} for live payments`}`,
      );
    }),
  );
  if (others === 0) return findings;
  const more = `${others} more ${others === 1 ? "business is" : "businesses are"}`;
  return [...findings, good(`go live: ${more} not listed: see Settings → Go live of each`)];
}

/** Zones that were set before names were checked with the server, or that a server of another system lacks. */
async function timeZones(): Promise<Finding[]> {
  const zones = await unscopedListZones(MAX_BUSINESSES);
  const agreed = await agreedZones(
    db,
    zones.map(({ timeZone }) => timeZone),
  );
  const wrong = zones.filter(({ timeZone }) => !agreed.has(timeZone.toLowerCase()));
  if (wrong.length === 0) return [good("time zones: known to the database server")];
  return wrong.map(({ timeZone, businessIds }) =>
    bad(
      `time zones: the database server lacks ${timeZone}, or reads it as another zone: choose another in Settings → Business, for business ${businessIds.join(", ")}`,
    ),
  );
}

async function secret(): Promise<Finding> {
  return (await readSecretState()).rotation
    ? bad("secret: its rotation is not finished: run `npm run -s kutip -- secret:rotate`")
    : good("secret: the one of this database");
}

/** Whether retention can drop each event and mail with its month. */
async function months(): Promise<Finding> {
  const tables = await tablesWithStrays();
  return tables.length === 0
    ? good("months: events and mails of this month lie in its tables")
    : bad(
        `months: ${tables.join(" and ")} of this month or later lie outside the tables of their months, as a clock was wrong or a start found the database busy. They are deleted at their age all the same; see that the clocks of all servers agree`,
      );
}

async function transactions(): Promise<Finding> {
  const blocker = await oldestBlocker(BLOCKER_SECONDS);
  if (!blocker) return good("transactions: no long one delays GET /api/events");
  return bad(
    `transactions: ${blocker.description} has been open for ${blocker.seconds} s and holds back GET /api/events: end it`,
  );
}

/** Whether lists and searches can be read from the replica. */
async function replica(): Promise<Finding[]> {
  switch (await replicaState()) {
    case undefined:
      return [];
    case "replica":
      return [good("replica: has everything that is committed")];
    case "behind":
      return [
        bad(
          "replica: behind its primary, so the primary serves its reads: check the load of the replica",
        ),
      ];
    case "away":
      return [
        bad(
          "replica: cannot be reached, or does not follow this primary: check DATABASE_REPLICA_URL",
        ),
      ];
  }
}

async function ledger(): Promise<Finding> {
  const { entries, lopsided, disagreeing } = await unscopedLedgerState();
  if (lopsided > 0) return bad(`ledger: ${lopsided} postings do not sum to zero`);
  if (disagreeing > 0)
    return bad(`ledger: ${disagreeing} payments differ from their ledger entries`);
  return good(`ledger: ${entries} entries, sums to zero, agrees with the payments`);
}

/** What is late or stuck of each job, and how fast the job moves. */
async function work(): Promise<Finding[]> {
  const { jobs } = await unscopedWorkHealth(allJobs.jobs, await unscopedCountBusinesses());
  const overdue = jobs.filter(({ overdueSeconds }) => overdueSeconds > 0);
  if (overdue.length === 0) return [good("work: nothing is overdue")];
  return overdue.map(({ name, overdueSeconds, perSecond, stuck, late }) => {
    const text = `work: "${name}" is overdue for ${Math.floor(overdueSeconds)} s, at ${perSecond.toFixed(1)} a second`;
    if (late)
      return bad(`${text}: start the server, or see whether its gateway or its database is slow`);
    const [first] = stuck;
    return first
      ? bad(`${text}: it fails or hangs for ${stuck.length} tenants, as ${first.tenant.join(" ")}`)
      : good(text);
  });
}

async function paymentSearch(): Promise<Finding[]> {
  return (await sinceRestore()).map((text) => good(`restore: ${text}`));
}

/** The last complete backup. Two intervals without one are too many. */
async function backups(): Promise<Finding> {
  if (env.BACKUP_TO === undefined) return good("backups: not scheduled, BACKUP_TO is not set");
  if (await isDistributed())
    return bad(
      "backups: none is made, as the install is spread over several servers: back up each one (docs/operations/citus.md), and leave BACKUP_TO out",
    );
  const { schedule, now } = await readSchedule();
  const last = schedule?.lastAt
    ? `the last complete one is of ${schedule.lastAt}`
    : "none is complete yet";
  if (schedule?.problem) return bad(`backups: the last try failed (${schedule.problem}); ${last}`);
  if (!(await isInUse())) return good("backups: none yet, as there is no business");
  const age = now.getTime() - Date.parse(schedule?.lastAt ?? "");
  return age < 2 * env.BACKUP_EVERY_HOURS * 3_600_000
    ? good(`backups: ${last}, ${Math.ceil((schedule?.lastBytes ?? 0) / 1024)} KiB`)
    : bad(`backups: ${last}: start a worker, or run \`npm run -s kutip -- backup:now\``);
}

function files({ places, embedded }: Install): Finding[] {
  const found: Finding[] = [];
  for (const file of [places.secret, places.firstRun, places.running]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0)
      found.push(bad(`${file} can be read by others: chmod 600 it`));
  }
  if (embedded) {
    const { bavail, bsize } = statfsSync(places.folder);
    const room = Math.floor((Number(bavail) * Number(bsize)) / 2 ** 20);
    found.push(
      room < ROOM_MIB
        ? bad(`disk: only ${room} MiB left in ${places.folder}`)
        : good(`disk: ${Math.floor(room / 1024)} GiB left`),
    );
  }
  return found;
}

function settings(): Finding[] {
  const local = /^https?:\/\/(localhost|127\.|\[::1\])/.test(env.BASE_URL);
  return [
    env.BASE_URL.startsWith("https:") || local
      ? good(`BASE_URL: ${env.BASE_URL}`)
      : bad(
          `BASE_URL: ${env.BASE_URL} is public without https: payers' data and keys are sent unencrypted`,
        ),
    good(
      env.SMTP_URL ? "mails: through SMTP_URL" : "mails: kept in the outbox, SMTP_URL is not set",
    ),
  ];
}

async function server(): Promise<Finding> {
  const answer = await fetch(`${env.BASE_URL}/api/health`, {
    signal: AbortSignal.timeout(5_000),
    redirect: "manual",
  }).catch(() => null);
  if (!answer) return good(`server: none answers at ${env.BASE_URL}`);
  return answer.ok
    ? good(`server: healthy at ${env.BASE_URL}`)
    : bad(`server: ${env.BASE_URL}/api/health answers ${answer.status}`);
}
