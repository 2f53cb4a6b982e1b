import path from "node:path";
import pino from "pino";
import { env } from "@/lib/env";
import { errorForLog, withoutAddresses } from "./error-text";
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
