import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { unscopedPurgeKeys } from "./rows";

test("keys older than 72 hours are removed some at a time, the oldest first, and younger ones stay", async () => {
  const { id } = await createBusiness({ name: "Keys" });
  for (const hours of [71, 73, 74, 75])
    await db.execute(
      sql`insert into idempotency_keys (business_id, mode, scope, body_digest, claim, locked_until, created_at)
          values (${id}, 'test', ${String(hours)}, '', '', now(), now() - make_interval(hours => ${hours}))`,
    );
  const left = async () =>
    (
      await db.execute<{ scope: string }>(
        sql`select scope from idempotency_keys where business_id = ${id} order by scope`,
      )
    ).rows.map(({ scope }) => scope);
  expect(await unscopedPurgeKeys(2)).toBe(2);
  expect(await left()).toEqual(["71", "73"]);
  expect(await unscopedPurgeKeys(2)).toBe(1);
  expect(await unscopedPurgeKeys(2)).toBe(0);
  expect(await left()).toEqual(["71"]);
});
