import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { createBusiness } from "@/lib/domain/businesses/create";
import { keepChainKey } from "@/lib/domain/audit/key";
import { env, provideEnv } from "@/lib/env";
import { isNew, isPrepared } from "./prepared";
import { checkSecret } from "./secret";

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-prepared-"));
const places = placesIn(folder);
const prepared = () => isPrepared(pool(), places);

let withoutBusiness: boolean;
beforeAll(async () => {
  await checkSecret("the test's setting");
  withoutBusiness = await prepared();
  await createBusiness({ name: "Any" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await closePool();
});

test("an install of this version needs no preparation once it has a business", async () => {
  expect(withoutBusiness).toBe(false);
  expect(await prepared()).toBe(true);
});

test.each([
  [
    "a migration of this version is missing",
    "delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning created_at::text as value",
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('any', $1)",
  ],
  [
    "a later version has migrated it",
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('any', 9999999999999) returning created_at::text as value",
    "delete from drizzle.__drizzle_migrations where created_at = $1::bigint",
  ],
  [
    "it belongs to another secret",
    "update settings s set value = 'other' from settings before where before.key = s.key and s.key = 'secret_check' returning before.value",
    "update settings set value = $1 where key = 'secret_check'",
  ],
  [
    "it belongs to no secret yet",
    "delete from settings where key = 'secret_check' returning value",
    "insert into settings (key, value) values ('secret_check', $1)",
  ],
  [
    "its secret is being rotated",
    "insert into settings (key, value) values ('secret_rotation', '{}') returning key as value",
    "delete from settings where key = $1",
  ],
])("it needs one when %s", async (_, damage, mend) => {
  const { rows } = await pool().query<{ value: string }>(damage);
  expect(rows).toHaveLength(1);
  expect(await prepared()).toBe(false);
  await pool().query(mend, [rows[0]?.value]);
  expect(await prepared()).toBe(true);
});

test("it needs one without the key of its audit chains, and without its journal", async () => {
  await pool().query("delete from audit_keys");
  expect(await prepared()).toBe(false);
  await keepChainKey();
  await pool().query("alter table drizzle.__drizzle_migrations rename to away");
  expect(await prepared()).toBe(false);
  await pool().query("alter table drizzle.away rename to __drizzle_migrations");
  expect(await prepared()).toBe(true);
});

test("a data folder without a secret was never started, unless the secret is a setting", () => {
  const { KUTIP_SECRET = "" } = env;
  expect(isNew(places)).toBe(false);
  provideEnv({ KUTIP_SECRET: "" });
  try {
    expect(isNew(places)).toBe(true);
  } finally {
    provideEnv({ KUTIP_SECRET });
  }
});
