import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { activateSecret, endRotation, readSecretState } from "@/db/active-secret";
import type { Executor } from "@/db/client";
import { Refusal } from "@/db/embedded/refusal";
import { haveEndedBelow, newTransactionId, oldestBlocker } from "@/db/event-horizon";
import { databaseLimits } from "@/db/limits";
import { refuseLaterSchema } from "@/db/migrate";
import { processesSealingWithout, processesWithoutKey } from "@/db/processes";
import { resealAll } from "@/db/reseal";
import { isGiven } from "@/lib/env";
import { checkOf, type Key, knownKeys } from "@/lib/kernel/secrets";
import { adoptSecretOf } from "@/lib/supervisor/secret";
import { replaceSecret, setPreviousAside } from "@/lib/supervisor/secret-file";
import { describeProcess } from "./processes";
import { note, print } from "./usage";
import { withInstall } from "./with-install";

/** How long processes that follow the secret file have to take a new secret over. */
const FOLLOW_MS = 15_000;
/** Writes sealed with the old secret finish within this time: it is longer than a statement of a request may take. */
const SETTLE_MS = 20_000;
const POLL_MS = 500;

/** `olderMs`: for transactions that may have sealed with the old secret. An erasure is one long statement, and takes its id before it seals. */
type Waits = { followMs: number; settleMs: number; olderMs: number; pollMs: number };

/** Replaces the install's secret while it runs, and seals everything anew. */
export async function secretRotate(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  const keptInFile = !isGiven("KUTIP_SECRET");
  await withInstall(({ places }) => rotateSecret(keptInFile ? places.secret : undefined));
}

/** The same within an install that was opened; `file` holds the secret where it is not a setting. Throws a Refusal while a live process does not know the new secret, and where a later version may have sealed more. */
export async function rotateSecret(
  file: string | undefined,
  {
    followMs = file === undefined ? 0 : FOLLOW_MS,
    settleMs = SETTLE_MS,
    olderMs = databaseLimits().longMs,
    pollMs = POLL_MS,
  }: Partial<Waits> = {},
): Promise<void> {
  await refuseLaterSchema();
  const { to, from } = await chooseSecrets(file);
  if (from) {
    await waitUntil(async () => (await processesWithoutKey(to.id)).length === 0, followMs, pollMs);
    await activateSecret(from, to, (on) => assertKnown(to, on));
    print("The new secret is active.");
  }
  adoptSecretOf(await readSecretState(), file ?? "the setting KUTIP_SECRET");
  const unopenable = await resealUntilDone(to, { settleMs, olderMs, pollMs });
  await endRotation(to.id);
  conclude(unopenable, file && setPreviousAside(file));
}

/** The secret to be active, and the one that it replaces where that is still to be done. */
async function chooseSecrets(file: string | undefined): Promise<{ to: Key; from?: Key }> {
  const { check, rotation } = await readSecretState();
  if (file !== undefined && knownKeys().length === 1) replaceSecret(file);
  const [to, other] = knownKeys();
  if (!other)
    throw new Refusal(
      "set KUTIP_SECRET to a new secret and KUTIP_SECRET_PREVIOUS to the present one, for this command and for every process; restart the processes, then run this command again",
    );
  if (rotation && rotation.to !== to.id)
    throw new Refusal(
      "a rotation to the other secret is under way: exchange KUTIP_SECRET and KUTIP_SECRET_PREVIOUS, then run this command again",
    );
  if (checkOf(to) !== check) return { to, from: other };
  if (!rotation) print("KUTIP_SECRET is active already: looking for values of the previous one.");
  return { to };
}

async function assertKnown(to: Key, on: Executor): Promise<void> {
  const strangers = await processesWithoutKey(to.id, on);
  if (strangers.length > 0)
    throw new Refusal(
      [
        "the new secret is not active yet: these processes do not know it. Restart them with KUTIP_SECRET and KUTIP_SECRET_PREVIOUS, then run this command again",
        ...strangers.map(describeProcess),
      ].join("\n"),
    );
}

/** Waits until no process seals with another secret, and re-seals until nothing of another secret is left. Returns what cannot be opened. */
async function resealUntilDone(
  to: Key,
  { settleMs, olderMs, pollMs }: Omit<Waits, "followMs">,
): Promise<Record<string, number>> {
  await waitUntil(
    async () => (await processesSealingWithout(to.id)).length === 0,
    Number.POSITIVE_INFINITY,
    pollMs,
  );
  const since = await newTransactionId();
  const settledAt = performance.now() + settleMs;
  for (let settled = false; ; ) {
    const { resealed, busy, unopenable } = await resealAll((table, rows) => {
      if (rows > 0) print(`${table}: ${rows} rows sealed anew`);
    });
    if (settled && resealed + busy === 0) return unopenable;
    if (resealed > 0) continue;
    if (settled) await pause(pollMs);
    else {
      await pause(settledAt - performance.now());
      await waitForOlder(since, olderMs, pollMs);
      settled = true;
    }
  }
}

/** Waits for the end of transactions that had an id when the last process began to seal with the new secret. Throws a Refusal when that takes too long. */
async function waitForOlder(since: string, limitMs: number, pollMs: number): Promise<void> {
  const haveEnded = () => haveEndedBelow(since);
  if (await haveEnded()) return;
  const nameOldest = async () => (await oldestBlocker(0))?.description ?? "unknown";
  print(
    `Waiting for transactions that began before the new secret was active. The oldest: ${await nameOldest()}.`,
  );
  await waitUntil(haveEnded, limitMs, pollMs);
  if (await haveEnded()) return;
  throw new Refusal(
    `the new secret is active, but a transaction from before is still open, and it may write values of the previous one: ${await nameOldest()}. End it, then run this command again`,
  );
}

function conclude(unopenable: Record<string, number>, aside: string | undefined): void {
  for (const [column, count] of Object.entries(unopenable))
    note(`${count} values of ${column} cannot be opened with either secret and stay as they are`);
  print("Everything is sealed with the new secret.");
  note(
    aside === undefined
      ? "KUTIP_SECRET_PREVIOUS can go: take it out where it is set. Keep that secret for as long as you keep backups made before: they need it"
      : `the former secret is now in ${aside}. Keep it for as long as you keep backups made before: they need it`,
  );
}

async function waitUntil(
  isDone: () => Promise<boolean>,
  limitMs: number,
  pollMs: number,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await isDone()) && performance.now() < end) await pause(pollMs);
}
