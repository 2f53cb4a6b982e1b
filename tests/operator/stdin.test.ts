import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-stdin-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

test("a secret is read from a program that writes it later", async () => {
  const program = path.join(work, "program.mjs");
  await build({
    stdin: {
      contents: `import { keyFromStdin } from "./lib/operator/api-client";
        process.stderr.write("waiting");
        process.stdout.write(await keyFromStdin());`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: program,
    logLevel: "error",
  });
  const child = spawn(process.execPath, [program]);
  const written = text(child.stdout);
  await once(child.stderr, "data");
  child.stdin.end("sk_test_late\nmore\n");
  expect(await written).toBe("sk_test_late");
});
