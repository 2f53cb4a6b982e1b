import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-stdin-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Starts a program that is bundled from this text. */
async function start(contents: string): Promise<ChildProcessWithoutNullStreams> {
  const program = path.join(work, "program.mjs");
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: program,
    logLevel: "error",
  });
  return spawn(process.execPath, [program]);
}

test("a secret is read from a program that writes it later", async () => {
  const child = await start(`import { keyFromStdin } from "./lib/operator/api-client";
    process.stderr.write("waiting");
    process.stdout.write(await keyFromStdin());`);
  const written = text(child.stdout);
  await once(child.stderr, "data");
  child.stdin.end("sk_test_late\nmore\n");
  expect(await written).toBe("sk_test_late");
});

test("a command goes on to its end when the program that reads its answer has ended", async () => {
  const child = await start(`import { print } from "./lib/operator/usage";
    print("first");
    for await (const _ of process.stdin);
    for (let line = 0; line < 10; line++) {
      print("x".repeat(100_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.stderr.write("done");`);
  const said = text(child.stderr);
  await once(child.stdout, "data");
  child.stdout.destroy();
  await once(child.stdout, "close");
  child.stdin.end();
  const [code] = (await once(child, "close")) as [number];
  expect([code, await said]).toEqual([0, "done"]);
});
