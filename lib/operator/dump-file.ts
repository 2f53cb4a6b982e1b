import { spawnSync } from "node:child_process";
import { secretStateIn } from "@/db/active-secret";
import { connectClient } from "@/db/connection";
import { Refusal, SAME_COMMAND } from "@/db/embedded/refusal";
import { takesWritesOfThisVersion } from "@/db/oldest-writer";
import { oldestWriterKey } from "@/db/setting-keys";
import { tablesOf } from "@/db/transfer/catalog";
import { version } from "@/lib/kernel/version";
import { adoptSecretOf } from "@/lib/supervisor/secret";

const JOURNAL = "drizzle.__drizzle_migrations";
const SETTINGS = "public.settings";
const EMPTY_FIRST = `put an empty database in its place (dropdb, createdb), then ${SAME_COMMAND}`;

/** How pg_restore reads a backup. Kutip has no comments, and those of extensions belong to the superuser who made them. */
export const RESTORED_AS = ["--no-owner", "--no-privileges", "--no-comments"];

/** What a restore has to know of a file of pg_dump before it replaces anything. */
type Dump = { schemas: string[]; tables: Set<string>; settings: Map<string, string> };

/**
 * Reads a file of pg_dump. Throws a Refusal unless it is a backup of Kutip, of a secret that is known here, and this version may write to it. It must
 * also have all tables of the database. `where` says from what the secret is. Changes nothing.
 */
export async function readRestorable(file: string, where: string): Promise<Pick<Dump, "schemas">> {
  const { schemas, tables, settings } = readDump(file);
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
  return { schemas };
}

function readDump(file: string): Dump {
  const list = read(file, "--list");
  const entries = [...list.matchAll(/^\d+; \d+ \d+ (TABLE DATA|TABLE) (\S+) (\S+)/gm)].map(
    ([, kind, schema, name]) => ({ kind, table: `${schema}.${name}` }),
  );
  for (const needed of [JOURNAL, SETTINGS])
    if (!entries.some(({ kind, table }) => kind === "TABLE DATA" && table === needed))
      throw new Refusal(`${file} is no backup of Kutip: it has no rows of ${needed}`);
  const script = read(file, "--data-only", "--table=settings", "--file=-");
  return {
    schemas: [...list.matchAll(/^\d+; \d+ \d+ SCHEMA - (.+) \S+$/gm)].map(
      ([, schema = ""]) => schema,
    ),
    tables: new Set(entries.map(({ table }) => table)),
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
