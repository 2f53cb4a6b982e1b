import { expect, test } from "vitest";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { keepSetting } from "@/db/settings";

test("two migrations at once leave one migrated database", async () => {
  await Promise.all([migrateDatabase(), migrateDatabase()]);
  expect(await pendingMigrations()).toBe(0);
});

test("a setting once kept stays", async () => {
  expect(await keepSetting("test-of-settings", "first")).toBe("first");
  expect(await keepSetting("test-of-settings", "second")).toBe("first");
});
