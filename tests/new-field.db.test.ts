import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/**
 * Adding a field to a record starts with the contract and the table; the compiler finds the rest. The test does this in a copy of the
 * tree. It adds `customer_no` to payment links. In each file that does not compile it then copies what `reference_2` has there.
 */

const MINUTES = 60_000;
const NAME = "customer_no";
const COLUMN = "customerNo";
const ROUNDS = 3;

const root = path.resolve(import.meta.dirname, "..");
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(os.tmpdir(), "kutip-new-field-"));
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root });
  for (const file of files.toString("utf8").split("\0").filter(Boolean)) {
    if (!existsSync(path.join(root, file))) continue;
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file));
  }
  for (const folder of ["node_modules", "build", ".next"])
    if (existsSync(path.join(root, folder)))
      symlinkSync(path.join(root, folder), path.join(copy, folder));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const change = (file: string, edit: (text: string) => string): boolean => {
  const before = readFileSync(path.join(copy, file), "utf8");
  const after = edit(before);
  writeFileSync(path.join(copy, file), after);
  return after !== before;
};

/** An error about a filter names its use. Filters are declared here. */
const FILTERS = "lib/contract/lists.ts";

const twin = (text: string) =>
  text.replaceAll("reference_2", NAME).replaceAll("reference2", COLUMN);

/** Gives each line, and each property that spans lines, a twin for the new field. */
const withTwins = (text: string) => {
  const add = (part: string) => (text.includes(twin(part)) ? part : part + twin(part));
  return text
    .replaceAll(/^( *)reference_2: \(\n(?:\1 .*\n)*\1\),\n/gm, add)
    .replaceAll(/^ *(?:"?reference_?2\b|contains\(links\.reference2).*,\n/gm, add);
};

const run = (command: string, args: string[]) =>
  spawnSync(path.join(root, "node_modules/.bin", command), args, {
    cwd: copy,
    encoding: "utf8",
    env: { NODE_ENV: "test", PATH: process.env.PATH, HOME: process.env.HOME },
  });

/** The files that do not compile. */
const broken = (): string[] => {
  const { stdout } = run("tsc", ["--noEmit", "--incremental", "false", "--pretty", "false"]);
  return [
    ...new Set(
      [...stdout.matchAll(/^([\w./()[\]-]+)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ""),
    ),
  ];
};

const promises = [
  "tests/dashboard/declared-fields.db.test.ts",
  "tests/contract/filters.db.test.ts",
];

test(
  "the compiler leads from the contract and the table to every place that handles the field",
  () => {
    change("lib/contract/payment-links.ts", (text) =>
      text
        .replace(/^ *reference_2: Reference\.optional.*\n/m, (line) => line + twin(line))
        .replace(/^ *reference_2: z\.string\(\)\.nullable\(\),\n/m, (line) => line + twin(line)),
    );
    change("db/schema/payment-links.ts", (text) =>
      text.replace(/^ *reference2: text\("reference_2"\),\n/m, (line) => line + twin(line)),
    );
    const visited = new Set<string>();
    for (let round = 0, files = broken(); files.length > 0; round++, files = broken()) {
      if (round === ROUNDS) throw new Error(`still broken: ${files.join(", ")}`);
      for (const file of files) {
        const changed = change(file, withTwins) ? file : FILTERS;
        if (changed === FILTERS) change(FILTERS, withTwins);
        visited.add(changed);
      }
    }
    expect([...visited].filter((file) => !/^(tests|e2e)\//.test(file)).sort()).toEqual([
      "components/payment-links/detail.tsx",
      "components/payment-links/filters.tsx",
      "components/payment-links/form-values.ts",
      "components/payment-links/import-file.ts",
      "components/payment-links/link-form.tsx",
      "lib/contract/files.ts",
      "lib/contract/lists.ts",
      "lib/contract/payment-links.ts",
      "lib/domain/payment-links/create.ts",
      "lib/domain/payment-links/list-rows.ts",
      "lib/domain/payment-links/present.ts",
      "lib/flows/renewal/begin.ts",
    ]);

    // The tests that are made from the contract then find the field in answer, list, row, event, export, import and filter.
    const migration = run("drizzle-kit", ["generate", "--name", NAME]);
    expect(migration.status, migration.stdout + migration.stderr).toBe(0);
    change("tests/dashboard/declared-fields.db.test.ts", (text) =>
      text.replace(
        "const samples: Record<string, readonly [Value, Value]> = {\n",
        (line) => `${line}  ${NAME}: ["C-1", "C-2"],\n`,
      ),
    );
    const made = run("vitest", ["run", "--project", "database", ...promises]);
    expect(made.status, made.stdout + made.stderr).toBe(0);
  },
  10 * MINUTES,
);
