import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { isDistributed } from "@/db/distributed";
import { env } from "@/lib/env";

afterAll(closePool);

// This file is a process that has asked nothing yet.
test("whether an install is distributed is answered while every connection of the pool is held", async () => {
  const held = await Promise.all(Array.from({ length: env.DATABASE_POOL }, () => pool().connect()));
  try {
    expect(await isDistributed()).toBe(process.env.TEST_CITUS_URL !== undefined);
  } finally {
    for (const client of held) client.release();
  }
});
