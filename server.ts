import { createServer } from "node:http";
import next from "next";
import { routes } from "virtual:routes";
import { closePool } from "@/db/client";
import { env } from "@/lib/env";
import { flushBatches } from "@/lib/http/batch";
import { claimRoutes } from "@/lib/http/front-door";
import { endStreams } from "@/lib/http/live";
import { makeServer } from "@/lib/http/serve";
import { log } from "@/lib/kernel/log";

const drainMs = 25_000;

// Listening does not wait for Next.js: the API and the payer pages need nothing of it.
// Next.js attaches its upgrade listener to a server of its own, which never listens.
const app = next({
  dev: false,
  hostname: env.HOST,
  port: env.PORT,
  httpServer: createServer(),
});
claimRoutes();
const pages = app.prepare().then(() => app.getRequestHandler());
pages.catch((error: unknown) => {
  log.fatal({ err: error }, "the dashboard cannot be served");
  process.exit(1);
});

const server = makeServer(routes, (request, response) => {
  pages
    .then((handle) => handle(request, response))
    .catch((error: unknown) => {
      log.error({ err: error }, "a page failed");
      if (!response.headersSent) response.writeHead(500).end();
    });
});

for (const kind of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(kind, (error: unknown) => {
    log.fatal({ err: error }, kind);
    process.exit(1);
  });
}

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    log.info("web process drains");
    server.close(() => void end());
    endStreams();
    // Answers of ours end their connections themselves; those of the pages are found idle soon after.
    setInterval(() => server.closeIdleConnections(), 250).unref();
    setTimeout(() => server.closeAllConnections(), drainMs).unref();
  });
}

async function end(): Promise<void> {
  await flushBatches();
  await closePool();
  log.info("web process stopped");
  process.exit(0);
}

server.on("error", (error) => {
  log.fatal({ err: error }, "cannot listen");
  process.exit(1);
});
server.listen(env.PORT, env.HOST, () =>
  log.info({ host: env.HOST, port: env.PORT }, "web process listens"),
);
