import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTINGS } from "@/lib/env";
import { deployFiles, readText } from "./files";

// Names of other programs: Postgres, etcd, Node, npm, OpenTelemetry, Compose and the shell.
const FOREIGN =
  /^(POSTGRES_\w+|NODE_\w+|ETCD_\w+|NEXT_TELEMETRY_DISABLED|OTEL_(SERVICE_NAME|RESOURCE_ATTRIBUTES)|PATH|PWD|KUTIP_(IMAGE|PORT|CWD)|CREDENTIALS_DIRECTORY)$/;
// In upper case and no settings: instructions, capabilities, network families.
const WORDS = /^(AF_\w+|DAC_OVERRIDE|CAP_\w+)$/;

const files = deployFiles();

test.each(files)("every setting that deploy/%s names is one of Kutip", (file) => {
  const known = new Set(SETTINGS.map(({ name }) => name));
  const named = readText(file).match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? [];
  const unknown = named.filter(
    (name) => !known.has(name) && !FOREIGN.test(name) && !WORDS.test(name),
  );
  expect([...new Set(unknown)]).toEqual([]);
});

test.each(files)("every health address that deploy/%s names is served", (file) => {
  const named = readText(file).match(/\/api\/health[\w/]*/g) ?? [];
  expect(named.filter((address) => !existsSync(`app${address}/route.ts`))).toEqual([]);
});

test("every setting of an install is on a page for operators", () => {
  const pages = globSync(["docs/*.md", "docs/operations/*.md"])
    .map((file) => readFileSync(file, "utf8"))
    .join();
  const own = SETTINGS.filter(({ help }) => !help.startsWith("for tests only"));
  expect(own.length).toBeGreaterThan(40);
  expect(
    own.map(({ name }) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(pages)),
  ).toEqual([]);
});

test.each(["The image", "Docker Compose", "Kubernetes", "systemd"])(
  "an install by %s has a step that makes the first business: none prints a setup code",
  (title) => {
    const page = readFileSync("docs/operations/install.md", "utf8");
    const [, section = ""] = page.split(`\n## ${title}\n`);
    const [steps] = section.split("\n## ");
    expect(steps).toMatch(/kutip business:create "My shop" --email/);
  },
);

test("the health addresses are named in the manifests and the proxies", () => {
  const all = files.map(readText).join();
  for (const address of ["/api/health/live", "/api/health/ready", "/api/health"])
    expect(all).toMatch(new RegExp(`${address}(?![/\\w])`));
});
