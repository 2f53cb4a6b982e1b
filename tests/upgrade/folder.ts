import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { migrationsFolder } from "@/db/migration-files";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder of migrations of a test's own, in the given order; after those of this version if `after` says so. Removed when the file is done. */
export function migrationFolder(
  files: Record<string, string>,
  after: "nothing" | "ours" = "nothing",
): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-migrations-"));
  made.push(folder);
  const journal = path.join(folder, "meta/_journal.json");
  mkdirSync(path.dirname(journal));
  if (after === "ours") cpSync(migrationsFolder, folder, { recursive: true });
  const before =
    after === "ours"
      ? (JSON.parse(readFileSync(journal, "utf8")) as { entries: { tag: string; when: number }[] })
          .entries
      : [];
  const from = (before.at(-1)?.when ?? 0) + 1;
  const entries = Object.keys(files).map((tag, at) => ({ tag, when: from + at }));
  for (const [tag, text] of Object.entries(files))
    writeFileSync(path.join(folder, `${tag}.sql`), text);
  writeFileSync(journal, JSON.stringify({ entries: [...before, ...entries] }));
  return folder;
}
