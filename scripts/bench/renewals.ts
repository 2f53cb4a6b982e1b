import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { connect } from "@/lib/flows/connecting/steps";
import { newId } from "@/lib/kernel/ids";
import { takeCallbacks } from "../prove/parts/callbacks";
import { newInstall, startWorker } from "../prove/parts/install";
import { newBusiness, progressOf, subscribed } from "../prove/parts/renewals";
import { statOf } from "./processor";

// `renewals.ts COUNT WORKERS` prints JSON: the renewals a second while the middle eight tenths are made, with a gateway that answers over
// HTTP. After the first tenth Postgres gathers its statistics, as its autovacuum has done where an install is in use. `cpu`: the processor time of a worker for each of them, in milliseconds.
const [count = 6_000, number = 4] = process.argv.slice(2).map(Number);
const LIMIT_SECONDS = 600;
/** Which part comes before what is measured, and as large a part after it. */
const WARM_UP = 0.1;

const install = await newInstall();
const workers: ChildProcess[] = [];
const others: ChildProcess[] = [];

async function startGateway(secret: string): Promise<{ origin: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ["scripts/bench/gateway.mjs", secret], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  others.push(child);
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return { origin: String(text).trim(), child };
}

/** A connected account at that gateway, with subscriptions that are due. */
async function dueThere(): Promise<{ settings: Record<string, string>; at: () => Progress }> {
  const secret = `whsec_${newId()}`;
  const { origin, child } = await startGateway(secret);
  const settings = { BASE_URL: await takeCallbacks(), STRIPE_API_URL: origin };
  provideEnv(settings);
  const ctx = await newBusiness();
  const { _id: connectionId } = await connect(ctx, {
    secret_key: `sk_test_${newId()}`,
    webhook_secret: secret,
  });
  child.stdin?.write(`${settings.BASE_URL}/api/gateways/stripe/callback/${connectionId}`);
  const methods = Array.from({ length: count }, () => `cus_${newId()}:pm_${newId()}`);
  await subscribed(ctx, { gateway: "stripe", connectionId }, methods);
  return { settings, at: () => progressOf({ ctx, connectionId }) };
}

type Progress = ReturnType<typeof progressOf>;

async function measure(): Promise<void> {
  const { settings, at } = await dueThere();
  for (let made = 0; made < number; made++) workers.push(startWorker(install, settings));
  const seen: { ms: number; paid: number }[] = [];
  const began = performance.now();
  let analyzed = false;
  for (;;) {
    const { paid, open } = await at();
    if (!analyzed && paid >= count * WARM_UP) {
      await db.execute(sql`analyze`);
      analyzed = true;
      continue;
    }
    if (analyzed) seen.push({ ms: performance.now() - began, paid });
    if (paid === count && open === 0) break;
    if (performance.now() - began > LIMIT_SECONDS * 1_000) throw new Error("not paid in time");
    await pause(250);
  }
  const [from] = seen;
  const to = seen.find(({ paid }) => paid >= count * (1 - WARM_UP));
  if (!from || !to) throw new Error("nothing was measured");
  const rate = Math.round(((to.paid - from.paid) * 1_000) / (to.ms - from.ms));
  const cpu = workers.reduce((sum, worker) => sum + (statOf(worker.pid)?.ms ?? 0), 0) / count;
  process.stdout.write(JSON.stringify({ rate, cpu }));
}

let code = 0;
try {
  await measure();
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  for (const child of [...workers, ...others]) child.kill("SIGKILL");
  install.remove();
  process.exit(code);
}
