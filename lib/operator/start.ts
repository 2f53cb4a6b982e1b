import { parseArgs } from "node:util";
import { SETTINGS } from "@/lib/env";
import { supervise } from "@/lib/supervisor/supervise";
import { print } from "./usage";

/** `npm start`: runs the install until it is stopped. Returns the exit code. */
export async function start(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: "boolean", short: "h" },
      "no-demo": { type: "boolean" },
      "backup-taken": { type: "boolean" },
      dev: { type: "boolean" },
    },
  });
  if (values.help) {
    print(help());
    return 0;
  }
  return supervise({
    demo: !values["no-demo"],
    backupTaken: values["backup-taken"] ?? false,
    dev: values.dev ?? false,
  });
}

function help(): string {
  const width = Math.max(...SETTINGS.map((one) => one.name.length)) + 2;
  const settings = SETTINGS.map(
    (one) =>
      `  ${one.name.padEnd(width)}${one.help}\n  ${" ".repeat(width)}${one.optional ? "without it" : "default"}: ${one.default}`,
  );
  return [
    "npm start [-- --no-demo] [--backup-taken]",
    "",
    "Starts the database (embedded, or that of DATABASE_URL), brings it up to date, and runs the web and the worker process.",
    "  --no-demo        leaves out the demo business of a first start on this machine",
    "  --backup-taken   upgrades a database of an older version without a copy: you have made a backup",
    "  --help           this",
    "",
    "Settings, from the environment or the file .env:",
    ...settings,
    "",
    "Other commands: npm run -s kutip -- --help",
  ].join("\n");
}
