import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { connectionOptions } from "@/db/connection";
import { startCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { startTestServer } from "@/scripts/test-server.mjs";
import { Api } from "./api-client";
import { type Install, installOf, sharedInstall } from "./install";

/** An install of a test's own: everything `npm start` starts, which the test may harm. */
export type Service = Install & {
  /** What its processes have said so far. */
  log: () => string;
  process: (name: "web" | "worker") => number;
  /** The demo business that its first start has made. */
  demo: { api: Api; businessId: number; email: string; password: string };
  stop: () => Promise<void>;
};

/** Starts the built install with these settings on an embedded database of its own. Its secret is the shared one's, so that one test process can serve both. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const { started, install } = await start(settings);
  const first = JSON.parse(readFileSync(placesIn(started.folder).firstRun, "utf8")) as {
    business_id: number;
    email: string;
    password: string;
    api_key: string;
  };
  return {
    ...install,
    log: () => readFileSync(started.log, "utf8"),
    process: (name) =>
      childOf(started.pid ?? 0, name === "web" ? "build/server.js" : "build/worker.js"),
    demo: {
      api: new Api(install.url, first.api_key),
      businessId: first.business_id,
      email: first.email,
      password: first.password,
    },
    stop: started.stop,
  };
}

/** A fresh install. */
export type EmptyInstall = Install & {
  /** Opens its first-run page; printed where it was started. */
  code: string;
  stop: () => Promise<void>;
};

/** Starts the built install without its demo business, on an embedded database of its own. */
export async function startEmpty(settings: Record<string, string> = {}): Promise<EmptyInstall> {
  const { started, install } = await start(settings, ["--no-demo"]);
  const printed = () =>
    new RegExp(`${install.url}/setup with the code (\\S+)`).exec(
      readFileSync(started.log, "utf8"),
    )?.[1];
  let code = printed();
  for (; !code; code = printed()) await pause(20);
  return { ...install, code, stop: started.stop };
}

async function start(settings: Record<string, string>, words: string[] = []) {
  const { secret } = sharedInstall();
  const started = await startTestServer(
    {
      RATE_LIMIT_KEY: "0",
      RATE_LIMIT_BUSINESS: "0",
      RATE_LIMIT_COST: "0",
      RATE_LIMIT_ANONYMOUS: "0",
      RATE_LIMIT_SIGN_IN: "0",
      RATE_LIMIT_PAYER: "0",
      RATE_LIMIT_PAGE: "0",
      RATE_LIMIT_TIME: "0",
      WORKER_POLL_MS: "50",
      DATABASE_URL: "",
      KUTIP_SECRET: secret,
      ...settings,
    },
    words,
  );
  return { started, install: installOf(started.url, started.folder, { secret }) };
}

function childOf(parent: number, script: string): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const above = Number(
        readFileSync(`/proc/${name}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")[1],
      );
      if (
        above === parent &&
        readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(script)
      )
        return Number(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return 0;
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  return (
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024
  );
}

/** Ends the embedded Postgres of an install in the middle of whatever it does. */
export async function crashDatabase({ folder }: Install): Promise<void> {
  const { cluster } = placesIn(folder);
  const running = postmasterOf(cluster);
  if (running.state !== "alive") return;
  process.kill(running.pid, "SIGQUIT");
  for (
    let found = postmasterOf(cluster);
    found.state === "alive" && found.pid === running.pid;
    found = postmasterOf(cluster)
  )
    await pause(10);
}

/** Starts it again, as an operator would. */
export async function startDatabase({ folder }: Install): Promise<void> {
  await startCluster(folder);
}

/** Works on an install's database beside it, on a connection of its own. */
export async function besides<T>(
  { database }: Install,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connectionOptions(database), application_name: "a test" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    // Else Postgres ends a transaction that a test holds open for 15 s, and its locks with it.
    await client.query("set idle_in_transaction_session_timeout = 0");
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
