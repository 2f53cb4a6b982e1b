import { randomBytes } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { closePool, pool } from "@/db/client";
import { connectClient } from "@/db/connection";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { readMigrations } from "@/db/migration-files";
import { ownDatabaseEach } from "../own-database";
import { migrationFolder } from "./folder";

vi.setConfig({ testTimeout: 120_000 });

// A database before its first migration.
ownDatabaseEach(async () => undefined);

const roles: string[] = [];
afterEach(async () => {
  await closePool();
  for (const role of roles.splice(0))
    await asSuperuser(
      (database) =>
        `alter database ${database} reset role; reassign owned by ${role} to session_user; drop owned by ${role}; drop role ${role}`,
    );
});

/** Runs statements about the test's database as the superuser of the server. */
async function asSuperuser(statements: (database: string) => string): Promise<void> {
  const client = await connectClient();
  await client.query("set role none");
  await client.query(statements(String(client.database))).finally(() => client.end());
}

/** Connections to the test's database are from now on those of a new role that is no superuser. */
async function newRole(rights: (role: string, database: string) => string): Promise<string> {
  const role = `kutip_test_${randomBytes(6).toString("hex")}`;
  roles.push(role);
  await closePool();
  await asSuperuser(
    (database) =>
      `create role ${role}; ${rights(role, database)}; alter database ${database} set role = ${role}`,
  );
  return role;
}

const migrateToBefore = async () => {
  const first = readMigrations().find(({ tag }) => tag.endsWith("search_extensions"));
  await migrateDatabase({ upTo: Number(first?.when) - 1 });
};
const mayRead = (role: string) =>
  `grant usage on schema drizzle to ${role}; grant select on all tables in schema drizzle to ${role}`;

test("the owner of a database, without being a superuser, migrates it from nothing", async () => {
  await newRole((role, database) => `alter database ${database} owner to ${role}`);
  await migrateDatabase();
  expect(await pendingMigrations()).toBe(0);
});

test("a role that may not create the extensions is refused with the statements to run, and nothing is changed", async () => {
  await migrateToBefore();
  const pending = await pendingMigrations();
  const role = await newRole(mayRead);
  await expect(migrateDatabase()).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringMatching(
      new RegExp(
        `^the role ${role} may not create the extensions btree_gin and pg_trgm: as a superuser or the owner of the database kutip_test_\\w+ run "create extension btree_gin; create extension pg_trgm;" in it, then run the same command again$`,
      ),
    ),
  });
  expect(await pendingMigrations()).toBe(pending);
});

test("a role that may not create them migrates once they are there", async () => {
  const role = await newRole((name, database) => `alter database ${database} owner to ${name}`);
  await migrateToBefore();
  await asSuperuser(
    (database) =>
      `alter database ${database} owner to session_user; grant create on schema public to ${role}`,
  );
  await expect(migrateDatabase()).rejects.toMatchObject({ name: "Refusal" });
  await asSuperuser(() => "create extension btree_gin; create extension pg_trgm");
  await migrateDatabase();
  expect(await pendingMigrations()).toBe(0);
});

test("a server without an extension is refused with what to install", async () => {
  const folder = migrationFolder({
    "0000_lacking": 'CREATE EXTENSION IF NOT EXISTS "kutip_lacking";',
  });
  await expect(migrateDatabase({ folder })).rejects.toMatchObject({
    name: "Refusal",
    message:
      "the database server lacks the extension kutip_lacking: install PostgreSQL's contrib modules on it (on Debian: apt install postgresql-contrib), then run the same command again",
  });
});

test("an extension in a schema that the role does not search is refused with the setting to change", async () => {
  await migrateToBefore();
  await pool().query("create schema apart; create extension pg_trgm schema apart");
  await expect(migrateDatabase()).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringMatching(
      /^the role (\w+) does not search the schema apart, which holds the extension pg_trgm: run "alter role \1 set search_path = public, apart", then run the same command again$/,
    ),
  });
});
