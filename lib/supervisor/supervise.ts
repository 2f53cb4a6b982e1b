import type { Server } from "node:http";
import type pg from "pg";
import { connectionOptions } from "@/db/connection";
import { stopCluster } from "@/db/embedded/cluster";
import { chosenFolder, makeDataFolder, placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { KeepingPool } from "@/db/keeping-pool";
import { databaseLimits } from "@/db/limits";
import { env, isGiven, provideEnv } from "@/lib/env";
import { unscopedSecondsSinceSeen } from "@/lib/jobs/seen-rows";
import { Child, type Command, startAhead, type Watch } from "./children";
import { showDisk } from "./disk";
import { type Install, openDatabase } from "./open-database";
import { claimPort } from "./port";
import { Preparation, type Prepared, type Wishes } from "./preparation";
import { isNew, isPrepared } from "./prepared";
import { removeAddressFile, writeAddressFile } from "./running";
import { followSecretFile, isSecretOf } from "./secret-file";
import { haveStarted, responds } from "./started";
import { SupervisorLock } from "./supervisor-lock";

const DRAIN_MS = 30_000;

type Options = Wishes & { dev: boolean };

const say = (text: string) => console.log(`kutip: ${text}`);

/** Runs the install until a signal stops it; returns the exit code. */
export async function supervise({ dev, ...wishes }: Options): Promise<number> {
  const signalled = stopSignal();
  await claimPort(env.HOST, env.PORT);
  // It loads while the database starts, where it is sure to be needed.
  let preparation = isNew(placesIn(chosenFolder())) ? new Preparation(wishes) : undefined;
  const commands = commandsOf(dev);
  const ahead = dev ? undefined : startAhead(commands.web);
  let install: Install;
  let lock: SupervisorLock | null;
  try {
    install = await openDatabase();
    // With a server of the operator's own nothing else has made it. Commands may run where no folder can be made.
    makeDataFolder(install.places.folder);
    lock = install.embedded ? new SupervisorLock(install.places.folder, say) : null;
    // If this throws, another supervisor holds the database, and this process must not stop it.
    await lock?.take();
  } catch (error) {
    preparation?.cancel();
    ahead?.child.kill("SIGKILL");
    throw error;
  }
  const children: Child[] = [];
  const connection = new KeepingPool({
    ...connectionOptions(),
    application_name: "kutip pool watch (kutip)",
    max: 1,
    connectionTimeoutMillis: databaseLimits().placeMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  connection.on("error", () => undefined);
  const metrics = await measure(install, signalled);
  let code = 0;
  try {
    const prepared =
      !preparation && (await isPrepared(connection, install.places))
        ? { upgradedBy: 0, demo: null, setup: null }
        : await (preparation ??= new Preparation(wishes)).of(install);
    if (prepared) {
      const { upgradedBy } = prepared;
      if (upgradedBy > 0) say(`upgraded: ${upgradedBy} migration${upgradedBy === 1 ? "" : "s"}`);
      const watches = dev ? undefined : watchesOn(connection);
      if (!signalled.aborted) children.push(...makeChildren(install, commands, watches));
      if (!isGiven("DRAIN_SECONDS")) provideEnv({ DRAIN_SECONDS: "0" });
      writeAddressFile(install.places.running, env.BASE_URL);
      for (const [at, child] of children.entries()) child.start(at === 0 ? ahead : undefined);
      if (await haveStarted(children, signalled)) {
        printBanner(install, prepared);
        const isWell = dev || (await responds("/api/health"));
        if (!isWell && !signalled.aborted)
          say("a part is down or late: run npm run -s kutip -- doctor");
      } else if (!signalled.aborted)
        throw new Refusal("the web or the worker process does not start; its output is above");
      await until(signalled);
      say("stopping");
    } else code = 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`kutip: ${error.message}`);
    code = 1;
  } finally {
    if (children.length === 0) ahead?.child.kill("SIGKILL");
    await Promise.all(
      children.map((child) => child.stop(DRAIN_MS + (env.DRAIN_SECONDS ?? 0) * 1_000)),
    );
    removeAddressFile(install.places.running, env.BASE_URL);
    metrics?.close();
    await connection.end();
    await lock?.release();
    if (install.embedded) stopCluster(install.places.folder);
  }
  return code;
}

type Watches = Record<"web" | "worker", Watch>;

function makeChildren({ places }: Install, commands: Commands, watches?: Watches): Child[] {
  if (!env.KUTIP_SECRET) followSecretFile(places.secret);
  const beforeStart = isSecretOf(places.secret)
    ? { beforeStart: () => followSecretFile(places.secret) }
    : {};
  return (["web", "worker"] as const).map(
    (name) => new Child({ ...commands[name], ...beforeStart }, say, watches?.[name]),
  );
}

type Commands = Record<"web" | "worker", Command>;

function commandsOf(dev: boolean): Commands {
  const mode: Command["mode"] = dev ? "development" : "production";
  const next = [
    "node_modules/next/dist/bin/next",
    "dev",
    "--hostname",
    env.HOST,
    "--port",
    String(env.PORT),
  ];
  const web = { name: "web", mode, args: dev ? next : ["build/server.js"], env: metricsPort(1) };
  const worker = { name: "worker", mode, args: ["build/worker.js"], env: metricsPort(2) };
  return { web, worker };
}

/** The three processes share one setting: web has the port after the supervisor's, worker the one after that. */
function metricsPort(after: number): Record<string, string> {
  const { METRICS_ADDRESS: address } = env;
  if (!address) return {};
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return { METRICS_ADDRESS: `${host}:${address.port + after}` };
}

/** Serves the metrics of this process where METRICS_ADDRESS asks for it. */
async function measure({ places }: Install, signalled: AbortSignal): Promise<Server | undefined> {
  if (!env.METRICS_ADDRESS) return undefined;
  const { serveMetrics } = await import("@/lib/http/metrics-server");
  showDisk(places.folder);
  return serveMetrics("supervisor", () => signalled.aborted);
}

const WORKER_SILENT_SECONDS = 60;

/** The web process is asked whether it answers, the worker by its heartbeat; a database that is away says nothing about it. */
const watchesOn = (connection: pg.Pool): Watches => ({
  web: { answers: () => responds("/api/health/live") },
  worker: {
    answers: async (id) => {
      const seen = await unscopedSecondsSinceSeen(connection, id).catch(() => 0);
      return seen !== null && seen < WORKER_SILENT_SECONDS;
    },
  },
});

function printBanner(install: Install, { demo, setup }: Prepared): void {
  const lines = [
    `ready at ${env.BASE_URL}`,
    `reference  ${env.BASE_URL}/docs/api`,
    install.embedded
      ? `data       ${install.places.folder}`
      : "data       the server of DATABASE_URL",
    `mails      ${env.SMTP_URL ? "through SMTP_URL" : "kept in the outbox: npm run -s kutip -- mail:list"}`,
  ];
  if (demo) {
    lines.push(
      `first run  business ${demo.business_id}, sign-in and test key in ${install.places.firstRun}`,
    );
    if (process.stdout.isTTY)
      lines.push(`           ${demo.email}  ${demo.password}`, `           ${demo.api_key}`);
  }
  if (setup)
    lines.push(
      `first run  make the first business at ${env.BASE_URL}/setup with the code ${setup}`,
    );
  for (const line of lines) say(line);
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(name, () => controller.abort());
  return controller.signal;
}

function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
