import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { health, live, readiness } from "./health";
import { metricsResponse } from "./metrics-route";
import { describeProcess, type ProcessName } from "./metrics-text";

const limits = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 65_000 };
const MAX_CONNECTIONS = 100;

/**
 * Begins to measure this process where METRICS_ADDRESS or METRICS_TOKEN asks for it, and serves METRICS_ADDRESS: `/metrics` and the three
 * health addresses. Undefined when that is not set. A port that is taken ends the process.
 */
export function serveMetrics(name: ProcessName, isStopping: () => boolean): Server | undefined {
  const { METRICS_ADDRESS: address, METRICS_TOKEN: token } = env;
  if (!address && !token) return undefined;
  describeProcess({ name, isStopping });
  if (!address) return undefined;
  const answers: Record<string, (request: IncomingMessage) => Promise<Response>> = {
    "/metrics": ({ headers }) => metricsResponse(headers.authorization, token),
    "/api/health/live": live,
    "/api/health/ready": () => readiness(name, isStopping()),
    "/api/health": () => health(),
  };
  const server = createServer(limits, (request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const made = answer
      ? isRead
        ? answer(request)
        : Promise.resolve(new Response(null, { status: 405, headers: { allow: "GET, HEAD" } }))
      : Promise.resolve(new Response(null, { status: 404 }));
    made
      .then((one) => send(one, response))
      .catch((error: unknown) => {
        log.error({ err: error }, "metrics could not be served");
        if (!response.headersSent) response.writeHead(500).end();
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", (error) => {
    log.fatal({ err: error, ...address }, "cannot listen for metrics");
    process.exit(1);
  });
  server.listen(address.port, address.host, () => log.info(address, "metrics are served"));
  return server;
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    "content-length": body.length,
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
