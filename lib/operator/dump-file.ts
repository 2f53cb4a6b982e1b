import { spawnSync } from "node:child_process";
import { secretStateIn } from "@/db/active-secret";
import { connectClient } from "@/db/connection";
import { Refusal, SAME_COMMAND } from "@/db/embedded/refusal";
import { takesWritesOfThisVersion } from "@/db/oldest-writer";
import { oldestWriterKey } from "@/db/setting-keys";
import { journalOf, tablesOf } from "@/db/transfer/catalog";
import { version } from "@/lib/kernel/version";
import { adoptSecretOf } from "@/lib/supervisor/secret";

const JOURNAL = "drizzle.__drizzle_migrations";
const SETTINGS = "public.settings";
const EMPTY_FIRST = `put an empty database in its place (dropdb, createdb), then ${SAME_COMMAND}`;

/** What a restore has to know of a file of pg_dump before it replaces anything. */
type Dump = { tables: Set<string>; migrations: Set<number>; settings: Map<string, string> };

/**
 * Throws a Refusal unless a file of pg_dump is a backup of Kutip, of a secret that is known here, and this version may write to it. It must also be able
 * to replace what the database holds. `where` says from what the secret is. Changes nothing.
 */
export async function assertRestorable(file: string, where: string): Promise<void> {
  const { tables, migrations, settings } = readDump(file);
  try {
    adoptSecretOf(secretStateIn(settings), where);
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(`${file}: ${error.message}`);
    throw error;
  }
  const oldest = settings.get(oldestWriterKey);
  if (!takesWritesOfThisVersion(oldest))
    throw new Refusal(
      `${file} takes writes from Kutip ${oldest} on; this is ${version}: restore it with the newer version`,
    );
  const client = await connectClient();
  try {
    // pg_restore drops only what the file has: functions of later migrations would stay, and fail when they are made again.
    if ((await journalOf(client)).some(({ when }) => !migrations.has(when)))
      throw new Refusal(
        `${file} is older than the schema of this database and cannot replace it: ${EMPTY_FIRST}`,
      );
    const others = (await tablesOf(client))
      .map(({ table }) => table)
      .filter((table) => !tables.has(table));
    if (others.length > 0)
      throw new Refusal(
        `${file} cannot replace this database, which has tables that the file lacks (${others.join(", ")}): ${EMPTY_FIRST}`,
      );
  } finally {
    await client.end();
  }
}

function readDump(file: string): Dump {
  const entries = [
    ...read(file, "--list").matchAll(/^\d+; \d+ \d+ (TABLE DATA|TABLE) (\S+) (\S+)/gm),
  ].map(([, kind, schema, name]) => ({ kind, table: `${schema}.${name}` }));
  for (const needed of [JOURNAL, SETTINGS])
    if (!entries.some(({ kind, table }) => kind === "TABLE DATA" && table === needed))
      throw new Refusal(`${file} is no backup of Kutip: it has no rows of ${needed}`);
  const names = [JOURNAL, SETTINGS].map((table) => `--table=${table.split(".")[1]}`);
  const script = read(file, "--data-only", ...names, "--file=-");
  return {
    tables: new Set(entries.map(({ table }) => table)),
    migrations: new Set(rowsOf(script, JOURNAL).map((row) => Number(row.get("created_at")))),
    settings: new Map(
      rowsOf(script, SETTINGS).map((row) => [row.get("key") ?? "", row.get("value") ?? ""]),
    ),
  };
}

/** The rows of a table in a script of pg_restore, by column. Texts with a backslash stay as COPY writes them: no value that is compared has one. */
function rowsOf(script: string, table: string): Map<string, string>[] {
  const [head = "", columns = ""] =
    new RegExp(`^COPY ${table.replace(".", "\\.")} \\((.*)\\) FROM stdin;\\n`, "m").exec(script) ??
    [];
  // With --inserts pg_dump writes none of these.
  if (head === "")
    throw new Refusal(
      `the rows of ${table} in the backup cannot be read: make it without --inserts`,
    );
  const [rows = ""] = script.slice(script.indexOf(head) + head.length).split(/^\\\.$/m, 1);
  const names = columns.split(", ");
  return rows
    .split("\n")
    .filter(Boolean)
    .map((row) => new Map(row.split("\t").map((value, at) => [names[at] ?? "", value])));
}

function read(file: string, ...list: string[]): string {
  const { status, stdout, stderr, error } = spawnSync("pg_restore", [...list, file], {
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (status !== 0)
    throw new Refusal(`${file} cannot be read: ${(error?.message ?? stderr).trim()}`);
  return stdout;
}
