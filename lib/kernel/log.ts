import path from "node:path";
import pino from "pino";
import { env } from "@/lib/env";
import { inSources } from "./source-places";
import { traceIds } from "./trace";

const PROCESSES: Record<string, string> = {
  server: "web",
  worker: "worker",
  kutip: "kutip",
  prepare: "kutip",
};

/** The name of the process that runs this script, as its log lines have it: the processes of `npm start` share one output. */
export function processName(script = ""): string {
  const name = path.basename(script, path.extname(script));
  return PROCESSES[name] ?? name;
}

const ADDRESS = /[^\s@<>"'(),:;]{1,64}(?:@|%40)[^\s@<>"'(),:;]{1,255}/gi;

/** A text with its e-mail addresses masked: mail servers and gateways quote those of payers, and no erasure reaches a log. */
const withoutAddresses = (text: string): string => text.replaceAll(ADDRESS, "[address]");

const settings: pino.LoggerOptions = {
  level: env.LOG_LEVEL,
  base: { process: processName(process.argv[1]), pid: process.pid },
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: {
    level: (label) => ({ level: label }),
    log: (fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          typeof value === "string" ? withoutAddresses(value) : value,
        ]),
      ),
  },
  mixin: traceIds,
  redact: {
    paths: [
      "authorization",
      "cookie",
      "password",
      "token",
      "secret",
      "api_key",
      "*.authorization",
      "*.cookie",
      "*.password",
      "*.token",
      "*.secret",
      "*.api_key",
    ],
    censor: "[redacted]",
  },
  serializers: { err: errorForLog, error: errorForLog },
};

/** One JSON line an entry on stdout, written off the caller's path and whole at exit. Secrets are redacted by name; addresses with tokens must not be logged at all. */
export const log = pino(settings, pino.destination({ sync: false }));

/** Drizzle's messages end in the statement's parameters, which may be a payer's data or a secret: only the cause is kept. */
export function errorForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error };
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const isQuery = error.message.startsWith("Failed query");
  const code =
    (cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: withoutAddresses(
      isQuery ? `Failed query: ${cause?.message ?? "no cause"}` : error.message,
    ),
    ...(code === undefined ? {} : { code }),
    stack: inSources(stackLines((isQuery ? cause?.stack : error.stack) ?? "")),
  };
}

const stackLines = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 12)
    .join("\n");
