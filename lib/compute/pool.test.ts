import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { provideEnv } from "@/lib/env";
import { computePool } from "./pool";

const pool = computePool({
  entry: path.resolve("tests/compute-pool/tasks.mjs"),
  threads: 1,
  taskMs: 2_000,
  heapMb: 32,
});
afterAll(pool.close);

const refused = { status: 429, options: { headers: { "retry-after": "30" } } };

test("a thread sees none of the settings: no database, no secret", async () => {
  provideEnv({ KUTIP_SECRET: "x".repeat(32), DATABASE_URL: "postgres://user:secret@host/name" });
  expect(await pool.run("environment", null)).toEqual({ NODE_ENV: "production" });
});

test("a task that takes too long ends with its thread, as a 429 with Retry-After, and the next one runs in another", async () => {
  const before = await pool.run("thread", null);
  await expect(pool.run("spin", null)).rejects.toMatchObject(refused);
  expect(await pool.run("thread", null)).not.toBe(before);
});

test("a task that needs too much memory ends with its thread, and the process lives on", async () => {
  const roomy = computePool({
    entry: path.resolve("tests/compute-pool/tasks.mjs"),
    threads: 1,
    taskMs: 30_000,
    heapMb: 16,
  });
  const before = await roomy.run("thread", null);
  await expect(roomy.run("hoard", null)).rejects.toMatchObject(refused);
  expect(await roomy.run("thread", null)).not.toBe(before);
  await roomy.close();
});

test("a task that fails is a server error, not a limit", async () => {
  await expect(pool.run("fail", null)).rejects.toThrow("broken");
});
