import { afterAll, beforeEach, inject } from "vitest";
import { closePool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { makeDatabase, settingsFor } from "./make-database";

/** A database of its own for each test of a file: migrated, or empty and filled by `prepare`. Call it before other hooks of the file. */
export function ownDatabaseEach(prepare?: () => Promise<unknown>): void {
  const { server, template } = inject("database");
  const made: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    const { url, remove } = await makeDatabase(server, prepare ? undefined : template);
    made.push(remove);
    // In this order: what a test left running would make a pool of the old database between the two.
    provideEnv(settingsFor(url));
    await closePool();
    await prepare?.();
  });
  afterAll(async () => {
    await closePool();
    for (const remove of made) await remove();
  });
}
