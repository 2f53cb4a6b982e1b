import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileEndpoints, staffEndpoints } from "./all";
import { endpoints } from "./programs";
import type { Endpoint } from "./endpoint";

const made =
  "// Made from the declarations by the test beside it: npx vitest run lib/contract/operations.test.ts -u\n";

const head = `${made}import type { Operation } from "./endpoint";

const all = ["owner", "admin", "staff", "viewer"] as const;
const working = ["owner", "admin", "staff"] as const;
const managing = ["owner", "admin"] as const;
const owning = ["owner"] as const;
`;

/** Each set of roles once: every page loads them. */
const rolesOf: Record<string, string> = {
  "owner,admin,staff,viewer": "all",
  "owner,admin,staff": "working",
  "owner,admin": "managing",
  owner: "owning",
};

/** Where each endpoint is declared: the file's name without its ending, by the endpoint's id. */
function homes(): Map<string, string> {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  return new Map(
    files.flatMap((file) =>
      [
        ...readFileSync(`${import.meta.dirname}/${file}`, "utf8").matchAll(
          /^export const (\w+) = endpoint\(/gm,
        ),
      ].map(([, id]) => [id ?? "", file.slice(0, -3)] as const),
    ),
  );
}

function constant({ id, method, path, tag, access, roles }: Endpoint): string {
  const fields = Object.entries({ id, method, path, tag, access, roles }).map(
    ([name, value]) =>
      `${name}: ${Array.isArray(value) ? rolesOf[value.join()] : JSON.stringify(value)}`,
  );
  return `export const ${id} = { ${fields.join(", ")} } as const satisfies Operation;`;
}

test("pages have the way of each endpoint, without the schemas", async () => {
  const all = [...endpoints, ...staffEndpoints, ...fileEndpoints].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const home = homes();
  const declared = all.map(({ id }) => `  ${id}: typeof import("./${home.get(id)}").${id};`);
  const text = `${head}\n${all.map(constant).join("\n")}\n\n/** The declaration of each, for its types. */\nexport type Declarations = {\n${declared.join("\n")}\n};\n`;
  await expect(text).toMatchFileSnapshot("./operations.ts");
  const summaries = (reads: boolean) =>
    all
      .filter(({ method }) => (method === "GET") === reads)
      .map(({ id, summary }) => `  ${id}: ${JSON.stringify(summary)},`)
      .join("\n");
  await expect(
    `${made}\n/** What each call that changes something does, by its id. */\nexport const changes: Readonly<Record<string, string>> = {\n${summaries(false)}\n};\n\n/** What each other call does. */\nexport const reads: Readonly<Record<string, string>> = {\n${summaries(true)}\n};\n`,
  ).toMatchFileSnapshot("./summaries.ts");
});
