import { afterEach, expect, test, vi } from "vitest";
import { closePool, openDatabase, pool } from "@/db/client";
import { connectClient } from "@/db/connection";
import { provideLimits } from "@/db/limits";
import { migrateDatabase } from "@/db/migrate";
import { readOldestWriter } from "@/db/oldest-writer";
import { liveProcesses } from "@/db/processes";
import { replaceSetting } from "@/db/settings";
import { health, ready } from "@/lib/http/health";
import { version } from "@/lib/kernel/version";
import { renewal } from "@/lib/flows/renewal/job";
import { get } from "@/lib/domain/subscriptions/get";
import { joinInstall } from "@/lib/supervisor/entry";
import {
  assertBooksAgree,
  choose,
  comeToRest,
  newLink,
  newShop,
  press,
  type Shop,
} from "../money/setting";
import { saveMethod, subscribe } from "../money/subscription-setting";
import { runOnce } from "../run-once";
import { ownDatabaseEach } from "../own-database";
import { migrationFolder } from "./folder";

vi.setConfig({ testTimeout: 120_000 });

// An install of this version. Its processes go on while the next version's migrations run.
ownDatabaseEach();
afterEach(async () => {
  provideLimits();
  openDatabase();
  await closePool();
});

const BREAKPOINT = "\n--> statement-breakpoint\n";
const HELD_SECONDS = 5;
const held = (statement: string) => `${statement}${BREAKPOINT}select pg_sleep(${HELD_SECONDS})`;
/** What a next version may do while this one runs. */
const next = {
  "9000_column": held('alter table payment_links add column "branch_code" text'),
  "9001_table": held(
    "create table branches (business_id int not null references businesses (id), code text not null, primary key (business_id, code))",
  ),
  "9002_index":
    "create index concurrently payment_links_branch on payment_links (business_id, branch_code)",
  "9003_check": held(
    "alter table payment_links add constraint branch_code_short check (length(branch_code) <= 20) not valid",
  ),
  "9004_checked": held("alter table payment_links validate constraint branch_code_short"),
};

/** Does one thing again and again until `done`. Returns how often it was done and what went wrong. */
async function repeat(done: AbortSignal, work: () => Promise<unknown>) {
  const result = { times: 0, failures: [] as unknown[] };
  while (!done.aborted) {
    await work().then(
      () => result.times++,
      (error: unknown) => result.failures.push(error),
    );
  }
  return result;
}

async function pay(shop: Shop): Promise<void> {
  const { _id } = await newLink(shop);
  const session = await press(shop, _id);
  if (!session) throw new Error("there was no page to pay on");
  await choose(shop, session, "approve");
}

async function renew(shop: Shop): Promise<void> {
  const { _id } = await subscribe(shop);
  await runOnce(renewal, shop.ctx.businessId);
  const { status } = await get(shop.ctx, _id);
  if (status !== "active") throw new Error(`the subscription is ${status}`);
}

test("creates, payments and renewals go on while each step of the next version's upgrade is held open", async () => {
  const [payments, renewals] = [await newShop(), await newShop()];
  await saveMethod(renewals);
  const done = new AbortController();
  const running = Promise.all([
    ...Array.from({ length: 24 }, () => repeat(done.signal, () => newLink(payments))),
    ...Array.from({ length: 4 }, () => repeat(done.signal, () => pay(payments))),
    repeat(done.signal, () => renew(renewals)),
    repeat(done.signal, async () => {
      const answer = await ready();
      if (answer.status !== 200) throw new Error(JSON.stringify(await answer.json()));
    }),
  ]);
  const reader = await connectClient();
  await migrateDatabase({
    folder: migrationFolder(next, "ours"),
    onStep: async (step) => {
      // A long report keeps the concurrent build waiting.
      if (step === "9001_table: committed") {
        await reader.query("begin isolation level repeatable read; select from businesses");
        void reader.query(`select pg_sleep(${HELD_SECONDS}); commit`);
      }
    },
  });
  done.abort();
  const results = await running;
  await reader.end();
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  for (const { times } of results) expect(times).toBeGreaterThan(0);
  for (const shop of [payments, renewals]) {
    await comeToRest(shop);
    await assertBooksAgree(shop);
  }
});

const sentence = (oldest: string) =>
  `this database was upgraded and takes writes from Kutip ${oldest} on; this is ${version}: start the newer version (docs/upgrading.md says how to go back)`;

test("a schema that refuses this version says so, and one that allows it serves it", async () => {
  expect(await readOldestWriter()).toBe(version);
  expect((await ready()).status).toBe(200);
  await replaceSetting("oldest_writer", "99.0.0");
  expect(await (await ready()).json()).toMatchObject({ database: "ok", migrations: "down" });
  expect((await health()).status).toBe(503);
  await expect(joinInstall("web")).rejects.toMatchObject({
    name: "Refusal",
    message: sentence("99.0.0"),
  });
});

test("a running process ends with the sentence once an upgrade refuses its version, before that upgrade changes anything", async () => {
  provideLimits({ versionCheckMs: 20, requestMs: 2_000 });
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const ended = vi.spyOn(process, "kill").mockImplementation(() => true);
  const ending = new AbortController();
  const { joined, leave } = await joinInstall("web", ending.signal);
  await joined;
  await migrateDatabase({
    folder: migrationFolder(
      {
        "9000_drop":
          "-- kutip: oldest-writer 99.0.0\nalter table payment_links drop column phone_no",
      },
      "ours",
    ),
    onStep: async (step) => {
      if (step !== "9000_drop: before commit") return;
      expect(said).toHaveBeenCalledWith(`kutip: ${sentence("99.0.0")}`);
      expect(ended).toHaveBeenCalledWith(process.pid, "SIGTERM");
      expect(() => pool("request")).toThrow(/has not joined/);
    },
  });
  ending.abort();
  await leave();
  vi.restoreAllMocks();
});

test("a running process ends with the sentence, and its row goes, while long work holds every connection that it may have", async () => {
  provideLimits({ versionCheckMs: 20 });
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const ended = vi.spyOn(process, "kill").mockImplementation(() => true);
  const ending = new AbortController();
  const { joined, leave } = await joinInstall("web", ending.signal);
  await joined;
  const held = await Promise.all([pool("long").connect(), pool("long").connect()]);
  try {
    await replaceSetting("oldest_writer", "99.0.0");
    await vi.waitFor(() => expect(said).toHaveBeenCalledWith(`kutip: ${sentence("99.0.0")}`), {
      timeout: 10_000,
    });
    expect(ended).toHaveBeenCalledWith(process.pid, "SIGTERM");
    ending.abort();
    await leave();
    openDatabase();
    expect(await liveProcesses()).toEqual([]);
  } finally {
    for (const client of held) client.release();
    ending.abort();
    vi.restoreAllMocks();
  }
});

test("an upgrade that was interrupted while processes of older versions end waits for them again", async () => {
  const limits = { versionCheckMs: 500, requestMs: 2_000 };
  provideLimits(limits);
  const folder = migrationFolder(
    {
      "9000_drop": "-- kutip: oldest-writer 99.0.0\nalter table payment_links drop column phone_no",
    },
    "ours",
  );
  const committed = "9000_drop: oldest writer: committed";
  const interrupted = async (step: string) => {
    if (step === committed) throw new Error("the machine lost its power");
  };
  await expect(migrateDatabase({ folder, onStep: interrupted })).rejects.toThrow(/lost its power/);
  expect(await readOldestWriter()).toBe("99.0.0");
  const moments: Record<string, number> = {};
  await migrateDatabase({
    folder,
    onStep: async (step) => {
      moments[step] = performance.now();
    },
  });
  const waited = (moments["9000_drop: before commit"] ?? 0) - (moments[committed] ?? Infinity);
  // A timer of Node may be a millisecond early.
  expect(waited).toBeGreaterThan(limits.versionCheckMs + limits.requestMs - 5);
});
