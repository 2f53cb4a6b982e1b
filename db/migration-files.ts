import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "./embedded/project";

/** The migrations of this version. */
export const migrationsFolder: string = path.join(projectRoot, "db/migrations");

/** An index that is built beside running writes; the statement `create index concurrently`, taken apart. */
export type ConcurrentIndex = { unique: boolean; name: string; table: string; definition: string };

/** A migration file. `created_at` in the journal table of the database is `when`, as Drizzle has it. */
export type Migration = {
  tag: string;
  when: number;
  hash: string;
  statements: string[];
  /** The one index that the file builds. */
  index?: ConcurrentIndex;
  /** The one statement of the file runs again, each time in a transaction of its own, until it changes no row. */
  batches: boolean;
  /** Processes of versions before this one are refused from this migration on. */
  oldestWriter?: string;
};

const BREAKPOINT = "--> statement-breakpoint";
const DIRECTIVE = /^-- kutip: *(batches|oldest-writer) *(\S*) *$/gm;
const INDEX =
  /^create\s+(unique\s+)?index\s+concurrently\s+"?(\w+)"?\s+on\s+((?:"?\w+"?\.)?"?\w+"?)\s+(.+)$/is;

const cache = new Map<string, Migration[]>();

/** The names of a folder's migrations, in order. */
export const readJournal = (folder: string = migrationsFolder): Pick<Migration, "tag" | "when">[] =>
  (
    JSON.parse(readFileSync(path.join(folder, "meta/_journal.json"), "utf8")) as {
      entries: Pick<Migration, "tag" | "when">[];
    }
  ).entries;

/** Reads the migrations of a folder in the order of its journal. Throws when a file does not say clearly how it runs. */
export function readMigrations(folder: string = migrationsFolder): Migration[] {
  const known = cache.get(folder);
  if (known) return known;
  const read = readJournal(folder).map(({ tag, when }) =>
    parse(tag, when, readFileSync(path.join(folder, `${tag}.sql`), "utf8")),
  );
  cache.set(folder, read);
  return read;
}

function parse(tag: string, when: number, text: string): Migration {
  const directives = new Map([...text.matchAll(DIRECTIVE)].map(([, name, value]) => [name, value]));
  const statements = text
    .split(BREAKPOINT)
    .map((one) => one.trim())
    .filter((one) => withoutComments(one) !== "");
  const batches = directives.has("batches");
  const index = statements.map(indexOf).find((one) => one !== undefined);
  const alone = batches || /\bconcurrently\b/i.test(statements.map(withoutComments).join("\n"));
  if (alone && statements.length !== 1)
    throw new Error(`${tag}: a concurrent index or a backfill in batches needs a file of its own`);
  if (alone && !batches && !index)
    throw new Error(`${tag}: only "create index concurrently" can run outside a transaction`);
  const oldestWriter = directives.get("oldest-writer");
  return {
    tag,
    when,
    hash: createHash("sha256").update(text).digest("hex"),
    statements,
    batches,
    ...(index ? { index } : {}),
    ...(oldestWriter ? { oldestWriter } : {}),
  };
}

function indexOf(statement: string): ConcurrentIndex | undefined {
  const [, unique, name, table, definition] =
    INDEX.exec(withoutComments(statement).replace(/;$/, "")) ?? [];
  if (!name || !table || !definition) return undefined;
  return { unique: unique !== undefined, name, table, definition };
}

const withoutComments = (statement: string) => statement.replaceAll(/^\s*--.*$/gm, "").trim();
