import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { childEnv } from "@/lib/env";
import { buildOpenApi } from "@/lib/http/openapi";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { newTenant } from "../contract/setting";
import { serveRoutes } from "../served";

const here = import.meta.dirname;
const root = path.join(here, "../..");
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-clients-"));
let served: Awaited<ReturnType<typeof serveRoutes>>;

const programs = ["openapi-fetch-order", "hey-api-order"] as const;

/** Runs a program to its end. Throws with what it printed when it fails. */
function run(...words: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stdout}\n${stderr}`);
}

const strict = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "ES2023",
    lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: ["node"],
    skipLibCheck: true,
  },
  include: ["*.ts", "hey-api/**/*.ts"],
};

beforeAll(async () => {
  served = await serveRoutes();
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const document = path.join(folder, "openapi.json");
  writeFileSync(document, JSON.stringify(buildOpenApi()));
  run(
    "--import",
    path.join(here, "typescript-5.mjs"),
    path.join(here, "generate.mjs"),
    document,
    folder,
  );
  for (const name of programs)
    copyFileSync(path.join(here, `${name}.ts`), path.join(folder, `${name}.ts`));
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(strict));
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
  await closePool();
});

// The compiler waits for its turn where several use a machine.
const patience = 600_000;

test("generated clients compile under strict TypeScript, and a wrong currency does not", {
  timeout: patience,
}, () => {
  const compile = () => run(path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
  compile();
  const wrong = path.join(folder, "wrong.ts");
  writeFileSync(
    wrong,
    'import type { components } from "./schema";\nexport const wrong: components["schemas"]["PaymentLinkInput"]["currency"] = "myr";\n',
  );
  expect(compile).toThrow("myr");
  rmSync(wrong);
});

test.each(programs)("%s creates a link, its payer pays, and it is read as paid", async (name) => {
  const { keys } = await newTenant();
  const bundle = path.join(folder, `${name}.mjs`);
  await build({
    entryPoints: [path.join(folder, `${name}.ts`)],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const program = spawn(process.execPath, [bundle], {
    env: childEnv({ ORIGIN: served.origin, API_KEY: keys.test }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: program.stdout })) {
    lines.push(line);
    if (lines.length > 1) continue;
    await visitAsPayer(served.origin, line, "approve");
    program.stdin.write("paid\n");
  }
  expect(lines.slice(1)).toEqual(["true", "test 125.50", "true", "not_found"]);
});
