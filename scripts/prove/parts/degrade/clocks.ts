import { globSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { OnClose } from "../drill-parts";
import { expected, told } from "../proof";
import { type Tally, tellAnswers } from "./callers";
import { openScene, type Running, type Scene } from "./scene";

const STEP_SECONDS = 600;
const ROUND_SECONDS = 20;
const RENEWALS = 80;
const SAMPLE_MS = 50;
/** A Date header has whole seconds, and a busy machine answers late. */
const TOLERANCE_SECONDS = 5;
const LIBRARY = "/usr/lib/*/faketime/libfaketimeMT.so.1";

type Offsets = Record<string, number>;
// Each row is a step of every process while it runs: ten minutes off, then back or on by twenty.
const ROUNDS: readonly Offsets[] = [
  { web: STEP_SECONDS, "worker 1": STEP_SECONDS, "worker 2": -STEP_SECONDS },
  { web: -STEP_SECONDS, "worker 1": -STEP_SECONDS, "worker 2": STEP_SECONDS },
  { web: STEP_SECONDS, "worker 1": STEP_SECONDS, "worker 2": -STEP_SECONDS },
];

/** The clocks of the processes differ by twenty minutes and step while they run; those of the database and the gateway are right. */
export async function clocks(folder: string, onClose: OnClose): Promise<void> {
  const [library] = globSync(LIBRARY);
  if (!library) throw new Error("the library of faketime is missing");
  const fileOf = (name: string) => path.join(folder, `clock-${name.replace(" ", "-")}`);
  const setClocks = (offsets: Offsets) => {
    for (const [name, seconds] of Object.entries(offsets))
      writeFileSync(fileOf(name), `${seconds < 0 ? "" : "+"}${seconds}`);
  };
  setClocks(ROUNDS[0] ?? {});
  const scene = await openScene(folder, onClose, {
    renewals: RENEWALS,
    workers: 2,
    settingsOf: (name) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(name),
      FAKETIME_NO_CACHE: "1",
      // A clock that is set leaves the monotonic one alone.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    }),
  });
  const tally = scene.trade.callers.next();
  let stealable = 0;
  for (const [at, offsets] of ROUNDS.entries()) {
    setClocks(offsets);
    stealable += await goOn(at + 1, offsets, scene);
  }
  told("leases that a clock ten minutes ahead would take for over", stealable, stealable > 0);
  tellOutcome(tally, scene);
  await scene.trade.close();
  expected("renewals claimed more than once", await claimedAgain(scene), 0);
}

/** Lets trade go on with these clocks; returns how many leases were seen under way. */
async function goOn(round: number, offsets: Offsets, { processes, trade }: Scene): Promise<number> {
  const until = performance.now() + ROUND_SECONDS * 1_000;
  let leases = 0;
  while (performance.now() < until) {
    leases += await leasesOf(trade.shop.businessId);
    await pause(SAMPLE_MS);
  }
  for (const one of processes) {
    const found = await offsetOf(one);
    const wanted = offsets[one.name] ?? 0;
    told(
      `round ${round}: clock of ${one.name} is off by s`,
      found.toFixed(0),
      Math.abs(found - wanted) <= TOLERANCE_SECONDS,
    );
  }
  return leases;
}

function tellOutcome(tally: Tally, { trade }: Scene): void {
  const kinds = ["create", "get", "list", "pay page", "live", "ready"] as const;
  tellAnswers("clocks step", tally, kinds, { only: ["200"] });
  expected("calls of shops that had to be repeated", trade.traders.seen.repeated, 0);
}

/** Seconds by which a process's clock is ahead of this one's, as its answers say. */
async function offsetOf({ address }: Running): Promise<number> {
  const answer = await fetch(`http://${address}/api/health/live`);
  await answer.body?.cancel();
  return (Date.parse(answer.headers.get("date") ?? "") - Date.now()) / 1_000;
}

async function leasesOf(businessId: number): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from subscription_periods where business_id = ${businessId} and leased_until between now() and now() + make_interval(secs => ${STEP_SECONDS})`,
  );
  return rows[0]?.n ?? 0;
}

async function claimedAgain({ trade }: Scene): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from subscription_periods where business_id = ${trade.shop.businessId} and number = 1 and fence > 1`,
  );
  return rows[0]?.n ?? 0;
}
