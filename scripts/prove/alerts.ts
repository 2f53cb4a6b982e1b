import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { closePool, db, withTransaction } from "@/db/client";
import { connectClient } from "@/db/connection";
import { createKey } from "@/lib/domain/api-keys/create";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { insertEndpoint } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { script } from "@/lib/gateways/simulator/scripting";
import { mailServer, receiver } from "./parts/alerts/parties";
import { processOf } from "./parts/processes";
import { objections, type Prometheus, rulesIn, startPrometheus } from "./parts/alerts/prometheus";
import { startTraffic } from "./parts/alerts/traffic";
import { newInstall } from "./parts/install";
import { requireMachine } from "./parts/machine";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";

// An install with a Prometheus of its own is broken in several ways: each alert fires, and clears after the repair. Without rules nothing fires.
const option = (name: string, otherwise: number) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
const times = { forSeconds: option("for", 4), windowSeconds: option("window", 30) };
const PATIENCE_SECONDS = 300;
const LIMIT_SECONDS = 40 * 60;
/** These watch the supervisor or backups, which this install does without, or need hours. Promtool tests their rules. */
const NOT_DRILLED = [
  "KutipBackupFailing",
  "KutipBackupOld",
  "KutipDiskAlmostFull",
  "KutipRefundsUnknown",
  "KutipRestarts",
];

requireMachine(
  ["prometheus", "promtool"].map((program) => ({ program, package: "prometheus" })),
  { root: false },
);
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-alerts-"));
const install = await newInstall();
const [hook, mail] = [await receiver(), await mailServer()];
const ports = [await freePort(), await freePort(), await freePort()];
const url = `http://localhost:${ports[0]}`;
const targets = [`127.0.0.1:${ports[1]}`, `127.0.0.1:${ports[2]}`] as const;
const settings = {
  ...install.settings,
  PORT: String(ports[0]),
  BASE_URL: url,
  DATABASE_POOL: "6",
  SMTP_URL: mail.url,
  WEBHOOK_ALLOW_PRIVATE: "true",
  RATE_LIMIT_PAYER: "0",
};
const web = processOf("server", { ...settings, METRICS_ADDRESS: targets[0] });
const worker = processOf("worker", { ...settings, METRICS_ADDRESS: targets[1] });
let prometheus: Prometheus | undefined;
let traffic: ReturnType<typeof startTraffic> | undefined;
const seen = new Set<string>();

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  expected("what promtool says against rules, their tests and the example", objections(), "");
  const { ctx, key } = await openShop();
  await web.start();
  await worker.start();
  prometheus = await startPrometheus(path.join(folder, "with-rules"), targets, rulesIn(times));
  traffic = startTraffic(url, key);
  await untilCleared("at the start");

  await breakWorker();
  await breakDatabase();
  await breakOthers(ctx);
  await breakPool();
  await breakLoop();

  const declared = [...rulesIn(times).matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  const unseen = declared.filter((name) => !seen.has(name));
  expected("alerts that did not fire in this drill", unseen.sort(), NOT_DRILLED);
  told("calls made meanwhile", traffic.calls(), traffic.calls() > 100);
  await withoutRules();
}

/** A business with a gateway, a key and a webhook endpoint. */
async function openShop(): Promise<{ ctx: Ctx; key: string }> {
  const business = await createBusiness({ name: "Night Market" });
  const ctx = systemCtx({ businessId: business.id, mode: "test" }, { kind: "operator" }, "drill");
  const { secret } = await createKey({ businessId: business.id, mode: "test" }, "drill");
  const { sealed } = newSecret();
  await withTransaction((tx) =>
    insertEndpoint(ctx, tx, {
      url: hook.url,
      description: "drill",
      events: null,
      enabled: true,
      secret: sealed,
    }),
  );
  return { ctx, key: secret };
}

async function breakWorker(): Promise<void> {
  await worker.kill();
  await pause(2_000);
  // Work that has waited for an hour, and work that was tried before.
  await db.execute(
    sql`update event_queue set due_at = due_at - interval '1 hour' where consumer = 'webhooks'`,
  );
  await db.execute(
    sql`update mails set failures = 2, next_try_at = now() - interval '10 minutes' where next_try_at is not null`,
  );
  await untilFiring("the worker is killed", [
    "KutipNoWorker",
    "KutipProcessDown",
    "KutipWorkLate",
    "KutipWorkOld",
    "KutipWorkStuck",
  ]);
  await worker.start();
  await untilCleared("the worker runs again");
}

async function breakDatabase(): Promise<void> {
  await closePool();
  install.stop();
  await untilFiring("Postgres is stopped", ["KutipFiguresNotRead", "KutipNotReady"]);
  await install.start();
  await untilCleared("Postgres runs again");
}

async function breakOthers(ctx: Ctx): Promise<void> {
  const { connection } = await resolveGateway(ctx);
  hook.works(false);
  mail.works(false);
  for (const verb of ["begin", "find"] as const)
    await script(connection.id, verb, "error", { times: 100_000 });
  await untilFiring("webhook receiver, mail server and gateway refuse", [
    "KutipGatewayErrors",
    "KutipMailsFailing",
    "KutipWebhooksFailing",
  ]);
  const aged = await db.execute(
    sql`update payments set started_at = started_at - interval '2 hours', unknown_since = unknown_since - interval '2 hours' where status = 'unknown'`,
  );
  told("payments without an answer, made two hours older", aged.rowCount, (aged.rowCount ?? 0) > 0);
  await untilFiring("the gateway has been silent for two hours", ["KutipPaymentsUnknown"]);
  hook.works(true);
  mail.works(true);
  await db.execute(sql`update simulator.scripts set remaining = 0`);
  await db.execute(sql`update payments set next_check_at = now() where status = 'unknown'`);
  await untilCleared("receiver, mail server and gateway work again");
}

async function breakPool(): Promise<void> {
  const blocker = await connectClient();
  await blocker.query("set idle_in_transaction_session_timeout = 0");
  await blocker.query("begin; lock table payment_links in access exclusive mode");
  await untilFiring("a lock holds every connection", [
    "KutipPoolExhausted",
    "KutipServerErrors",
    "KutipSlow",
  ]);
  await blocker.query("rollback");
  await blocker.end();
  await untilCleared("the lock is gone");
}

async function breakLoop(): Promise<void> {
  let isHalting = true;
  const halting = (async () => {
    while (isHalting) {
      web.signal("SIGSTOP");
      await pause(900);
      web.signal("SIGCONT");
      await pause(300);
    }
  })();
  await untilFiring("web gets no processor for most of the time", ["KutipEventLoopDelayed"]);
  isHalting = false;
  await halting;
  await untilCleared("web gets the processor again");
}

/** The same break with the protection off: an install without rules, or with rules that were lost, says nothing. */
async function withoutRules(): Promise<void> {
  await prometheus?.stop();
  prometheus = await startPrometheus(path.join(folder, "without-rules"), targets, "groups: []\n");
  await worker.kill();
  await pause((times.forSeconds + 20) * 1_000);
  expected("without rules, alerts for a killed worker", await prometheus.firing(), []);
  await worker.start();
}

/** Waits until these alerts have fired, all or one after the other. */
async function untilFiring(what: string, alerts: readonly string[]): Promise<void> {
  const began = performance.now();
  const missing = new Set(alerts);
  while (missing.size > 0 && performance.now() - began < PATIENCE_SECONDS * 1_000) {
    for (const name of (await prometheus?.firing()) ?? []) {
      seen.add(name);
      missing.delete(name);
    }
    await pause(500);
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  expected(`${what}: alerts that did not fire within ${seconds} s`, [...missing], []);
}

async function untilCleared(what: string): Promise<void> {
  const began = performance.now();
  let quietSince: number | undefined;
  let firing: string[] = [];
  let last = "none";
  while (performance.now() - began < PATIENCE_SECONDS * 1_000) {
    firing = (await prometheus?.firing()) ?? [];
    if (firing.length > 0) {
      quietSince = undefined;
      last = firing.join(" ");
    } else quietSince ??= performance.now();
    if (quietSince !== undefined && performance.now() - quietSince > 6_000) break;
    await pause(500);
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  expected(`${what}: alerts left after ${seconds} s (the last: ${last})`, firing, []);
}

async function cleanUp(): Promise<void> {
  traffic?.stop();
  await prometheus?.stop();
  await web.kill();
  await worker.kill();
  hook.close();
  mail.close();
  install.remove();
  rmSync(folder, { recursive: true, force: true });
}
