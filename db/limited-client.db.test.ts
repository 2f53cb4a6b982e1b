import { getHeapSpaceStatistics } from "node:v8";
import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "./client";

afterAll(closePool);

const ask = {
  name: "limited_client_test",
  text: `select ${Array.from({ length: 40 }, (_, index) => `$1::text as column_${index}`).join()}`,
  values: ["x".repeat(100)],
};

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ??
  Number.NaN;

/** How much the old generation grows while this many statements run, with other work between them. */
async function growth(statements: number): Promise<number> {
  const before = oldBytes();
  for (let run = 0; run < statements; run++) {
    await pool().query(ask);
    Array.from({ length: 1_000 }, (_, index) => ({ index }));
  }
  return oldBytes() - before;
}

test("answers of the database do not reach the old generation, where each would stay until all memory is searched", async () => {
  await growth(1_000);
  const grown = await growth(3_000);
  // One answer takes some 10 KB.
  expect(grown / 3_000).toBeLessThan(2_000);
});

test("a refused statement's stack leads to who asked", async () => {
  const asking = async function whoAsks() {
    await pool().query("select 1/0");
  };
  await expect(asking()).rejects.toThrow("division by zero");
  await asking().catch((error: Error) => expect(error.stack).toContain("whoAsks"));
  expect.assertions(2);
});
