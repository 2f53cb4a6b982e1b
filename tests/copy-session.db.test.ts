import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { copySession } from "@/db/transfer/session";

afterAll(closePool);

test("a store that stalls does not end the session of a copy, whatever the server's limit for TCP is", async () => {
  await db.execute(
    sql`do $$ begin execute format('alter database %I set tcp_user_timeout = 5000', current_database()); end $$`,
  );
  const found = await copySession("read only", async (client) => {
    const { rows } = await client.query(
      "select setting, source, reset_val from pg_settings where name = 'tcp_user_timeout'",
    );
    return rows;
  });
  // A unix socket has no such limit and shows 0: the source says which one is in force.
  expect(found).toEqual([{ setting: "0", source: "session", reset_val: "5000" }]);
});
