import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { connectClient } from "@/db/connection";
import { migrateDatabase } from "@/db/migrate";
import { ownDatabaseEach } from "../own-database";

const dump = gunzipSync(
  readFileSync(path.join(import.meta.dirname, "first-schema.sql.gz")),
).toString("utf8");

ownDatabaseEach(() => query(dump));

async function query<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
  const client = await connectClient();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const user = (email: string, made: string) =>
  `insert into auth_users (name, email, created_at) values ('A', '${email}', ${made})`;
/** A business as `business:create` of the first schema made it, for an account with that address. */
const created = (email: string) =>
  `with b as (insert into businesses (name, signing_secret_test, signing_secret_live) values ('B', 'x', 'y') returning id),
    m as (insert into memberships (business_id, user_id, role) select b.id, u.id, 'owner' from b, auth_users u where u.email = '${email}')
   insert into audit_entries (business_id, seq, id, actor_kind, action, object_id, details, hash, created_at)
   select b.id, 1, md5(b.id::text), 'operator', 'business:create', u.id::text, '{}', 'h', now() from b, auth_users u where u.email = '${email}'`;
const verified = async (email: string) =>
  (
    await query<{ v: boolean }>(
      `select email_verified as v from auth_users where email = '${email}'`,
    )
  )[0]?.v;

test("an owner whom the operator made counts as proven; an account that was there before does not", async () => {
  await query(
    `begin; ${user("made@example.com", "now()")}; ${created("made@example.com")}; commit`,
  );
  await query(user("before@example.com", "now() - interval '1 hour'"));
  await query(created("before@example.com"));
  await query(user("open@example.com", "now()"));
  await migrateDatabase();
  expect(await verified("made@example.com")).toBe(true);
  expect(await verified("before@example.com")).toBe(false);
  expect(await verified("open@example.com")).toBe(false);
});

test("devices trusted before are forgotten, and reset links that still work are kept", async () => {
  const proof = (name: string, lasts: string) =>
    `insert into auth_verifications (identifier, value, expires_at) values ('${name}', 'u', now() + interval '${lasts}')`;
  await query(`${proof("trusted", "30 days")}; ${proof("reset", "1 hour")}`);
  await migrateDatabase();
  const rows = await query<{ identifier: string }>(
    "select identifier from auth_verifications where value = 'u'",
  );
  expect(rows).toEqual([{ identifier: "reset" }]);
});
