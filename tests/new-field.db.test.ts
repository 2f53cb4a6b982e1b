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
 * tree: each record below gets a field. In each file that does not compile it then copies what a field of the same kind has there.
 */

const MINUTES = 60_000;
const ROUNDS = 3;

/** A field that is added, and the field of the same record that shows what is needed. */
type Addition = {
  name: string;
  column: string;
  like: { name: string; column: string };
  contract: string;
  table: string;
  /** What it is written with by a create and by an update. */
  samples: readonly [string, string];
};

const additions: readonly Addition[] = [
  {
    name: "zz_added_reference",
    column: "zzAddedReference",
    like: { name: "reference_2", column: "reference2" },
    contract: "lib/contract/payment-links.ts",
    table: "db/schema/payment-links.ts",
    samples: ["C-1", "C-2"],
  },
  {
    name: "zz_added_text",
    column: "zzAddedText",
    like: { name: "description", column: "description" },
    contract: "lib/contract/packages.ts",
    table: "db/schema/packages.ts",
    samples: ["S-1", "S-2"],
  },
  {
    name: "zz_added_phone",
    column: "zzAddedPhone",
    like: { name: "phone_no", column: "phoneNo" },
    contract: "lib/contract/subscriptions.ts",
    table: "db/schema/subscriptions.ts",
    samples: ["012 345", "019 876"],
  },
];

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

/** The same text about the added field. */
const twin = (text: string, { name, column, like }: Addition) =>
  text.replaceAll(like.name, name).replaceAll(like.column, column);

/** Gives each line, property that spans lines and property within a line a twin for the new field. Sentences are left alone. */
const withTwins = (text: string, addition: Addition) => {
  const { name, column } = addition.like;
  const either = `"?(?:${name}|${column})\\b`;
  const add = (part: string, before = "") => {
    const added = twin(part, addition);
    return text.includes(added) ? part : part + before + added;
  };
  return text
    .replaceAll(new RegExp(`^( *)${name}: \\(\\n(?:\\1 .*\\n)*\\1\\),\\n`, "gm"), (part) =>
      add(part),
    )
    .replaceAll(new RegExp(`^ *${either}(?!.*\\.",).*,\\n`, "gm"), (part) => add(part))
    .replaceAll(new RegExp(`(?<=[{,] )${either}: (?:"[^".]*"|[^,{}"\\n]*)(?=, | })`, "g"), (part) =>
      add(part, ", "),
    );
};

const run = (command: string, args: string[]) =>
  spawnSync(path.join(root, "node_modules/.bin", command), args, {
    cwd: copy,
    encoding: "utf8",
    env: { NODE_ENV: "test", PATH: process.env.PATH, HOME: process.env.HOME },
  });

/** The files that do not compile, each with the text of its errors. */
const broken = (): Map<string, string> => {
  const { stdout } = run("tsc", [
    "--noEmit",
    "--tsBuildInfoFile",
    "compiled.json",
    "--pretty",
    "false",
  ]);
  const found = new Map<string, string>();
  for (const error of stdout.split(/^(?=\S)/m)) {
    const [, file] = /^([\w./()[\]-]+)\(\d+,\d+\): error/.exec(error) ?? [];
    if (file) found.set(file, (found.get(file) ?? "") + error);
  }
  return found;
};

const promises = [
  "tests/dashboard/declared-fields.db.test.ts",
  "tests/contract/filters.db.test.ts",
];

test(
  "the compiler leads from the contract and the table to every place that handles a field",
  () => {
    for (const addition of additions) {
      const { like, contract, table } = addition;
      for (const file of [contract, table])
        if (readFileSync(path.join(copy, file), "utf8").includes(addition.name))
          throw new Error(`${file} has a field ${addition.name}: give this test another name`);
      const both = (line: string) => line + twin(line, addition);
      change(contract, (text) =>
        text.replace(
          new RegExp(
            `^ *${like.name}: (?:.*\\.optional\\(\\).*|z\\.string\\(\\)\\.nullable\\(\\)),\\n`,
            "gm",
          ),
          both,
        ),
      );
      change(table, (text) =>
        text.replace(new RegExp(`^ *${like.column}: text\\("${like.name}"\\),\\n`, "m"), both),
      );
    }
    const visited = new Set<string>();
    for (let round = 0, files = broken(); files.size > 0; round++, files = broken()) {
      if (round === ROUNDS) throw new Error(`still broken: ${[...files.values()].join("")}`);
      for (const [file, errors] of files) {
        const named = additions.filter(
          ({ name, column }) => errors.includes(name) || errors.includes(column),
        );
        const edit = (text: string) => named.reduce(withTwins, text);
        const changed = change(file, edit) ? file : FILTERS;
        if (changed === FILTERS) change(FILTERS, edit);
        visited.add(changed);
      }
    }
    expect([...visited].filter((file) => !/^(tests|e2e)\//.test(file)).sort()).toEqual([
      "components/packages/create.tsx",
      "components/packages/detail.tsx",
      "components/packages/fields.tsx",
      "components/packages/use-package-actions.ts",
      "components/payment-links/detail.tsx",
      "components/payment-links/filters.tsx",
      "components/payment-links/form-values.ts",
      "components/payment-links/import-file.ts",
      "components/payment-links/link-form.tsx",
      "components/payment-links/list-filters.ts",
      "components/record/changes.ts",
      "components/subscriptions/detail.tsx",
      "components/subscriptions/edit.tsx",
      "components/subscriptions/fields.tsx",
      "components/subscriptions/subscribe.tsx",
      "lib/contract/lists.ts",
      "lib/contract/packages.ts",
      "lib/contract/payment-links.ts",
      "lib/contract/subscriptions.ts",
      "lib/domain/packages/columns.ts",
      "lib/domain/packages/create.ts",
      "lib/domain/packages/present.ts",
      "lib/domain/payment-links/columns.ts",
      "lib/domain/payment-links/create.ts",
      "lib/domain/payment-links/list-rows.ts",
      "lib/domain/payment-links/present.ts",
      "lib/domain/payment-links/references.ts",
      "lib/domain/subscriptions/columns.ts",
      "lib/domain/subscriptions/create.ts",
      "lib/domain/subscriptions/present.ts",
      "lib/flows/renewal/begin.ts",
      "lib/flows/subscription-change/update.ts",
    ]);

    // The tests that are made from the contract then find the fields in answer, list, row, event, export, import and filter.
    const migration = run("drizzle-kit", ["generate", "--name", "added_fields"]);
    expect(migration.status, migration.stdout + migration.stderr).toBe(0);
    change("tests/dashboard/field-samples.ts", (text) =>
      text.replace(
        "export const samples: Record<string, readonly [unknown, unknown]> = {\n",
        (line) =>
          line +
          additions.map(({ name, samples }) => `  ${name}: ${JSON.stringify(samples)},\n`).join(""),
      ),
    );
    const made = run("vitest", ["run", "--project", "database", ...promises]);
    expect(made.status, made.stdout + made.stderr).toBe(0);
  },
  10 * MINUTES,
);
