import { afterAll, inject } from "vitest";
import { closePool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { makeDatabase, settingsFor } from "./make-database";

// Each test file has a migrated database of its own: no job of one file can claim a row of another.
const { server, template } = inject("database");
const { url, remove } = await makeDatabase(server, template);
provideEnv(settingsFor(url));
afterAll(async () => {
  await closePool();
  await remove();
});
