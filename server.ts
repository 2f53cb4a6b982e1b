import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { routes } from "virtual:routes";
import { closePool } from "@/db/client";
import { env } from "@/lib/env";
import { flushBatches } from "@/lib/http/batch";
import { drain } from "@/lib/http/drain";
import { claimRoutes } from "@/lib/http/front-door";
import { serveMetrics } from "@/lib/http/metrics-server";
import { withPageReads } from "@/lib/http/page-reads";
import { makeServer } from "@/lib/http/serve";
import { brotliFiles } from "@/lib/http/static-files";
import { log } from "@/lib/kernel/log";
import { startTracing } from "@/lib/kernel/tracing";
import {
  awaitSettings,
  isAhead,
  joinInstall,
  refuse,
  refuseArguments,
  requireSettings,
  stayUntilExit,
} from "@/lib/supervisor/entry";

const DRAIN_SECONDS = 5;
/** Loading Next.js keeps calls waiting for 0.4 s. Those that waited for this process come first. */
const FIRST_CALLS_MS = 100;

// V8 runs a major collection once its memory has grown by a quarter, which keeps calls waiting for up to 100 ms. By default that is every few
// seconds under load; with twice the memory, some 50 MB more, every minute.
setFlagsFromString("--heap-growing-percent=100");

try {
  refuseArguments("web");
  if (!isAhead()) requireSettings("web");
} catch (error) {
  refuse(error);
}

async function join() {
  if (isAhead()) await awaitSettings();
  return joinInstall("web");
}

const { joined, leave } = await join().catch(refuse);
joined.catch(refuse);

const sendTraces = await startTracing();

/** Next.js loads once calls are answered. Its upgrade listener goes to a server of its own, which never listens. */
async function loadPages() {
  claimRoutes();
  await pause(FIRST_CALLS_MS);
  const { default: next } = await import("next");
  const { HOST: hostname, PORT: port } = env;
  const app = next({ dev: false, hostname, port, httpServer: createServer() });
  await app.prepare();
  return app.getRequestHandler();
}

let pages: ReturnType<typeof loadPages>;
const renderPage = withPageReads(routes, (request, response) => {
  pages
    .then((handle) => handle(request, response))
    .catch((error: unknown) => {
      log.error({ err: error }, "a page failed");
      if (!response.headersSent) response.writeHead(500).end();
    });
});
const server = makeServer(routes, brotliFiles(".next/static", renderPage));

for (const kind of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(kind, (error: unknown) => {
    log.fatal({ err: error }, kind);
    process.exit(1);
  });
}

let stopping = false;
serveMetrics("web", () => stopping);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    stayUntilExit();
    log.info("web process drains");
    void drain(server, (env.DRAIN_SECONDS ?? DRAIN_SECONDS) * 1_000).then(end);
  });
}

async function end(): Promise<void> {
  await flushBatches();
  await leave();
  await closePool();
  await sendTraces();
  log.info("web process stopped");
  process.exit(0);
}

server.on("error", (error) => {
  log.fatal({ err: error }, "cannot listen");
  process.exit(1);
});
server.listen(env.PORT, env.HOST, () => {
  log.info({ host: env.HOST, port: env.PORT }, "web process listens");
  pages = loadPages();
  pages.catch((error: unknown) => {
    log.fatal({ err: error }, "the dashboard cannot be served");
    process.exit(1);
  });
});
