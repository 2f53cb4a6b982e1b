import { existsSync } from "node:fs";
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

test("the health addresses are named in the manifests and the proxies", () => {
  const all = files.map(readText).join();
  for (const address of ["/api/health/live", "/api/health/ready", "/api/health"])
    expect(all).toMatch(new RegExp(`${address}(?![/\\w])`));
});
