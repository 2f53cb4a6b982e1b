import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { create } from "@/lib/domain/payment-links/create";
import { mailComposition } from "@/lib/flows/mailing/job";
import { newShop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { runOnce } from "../run-once";

ownDatabaseEach();

test("mails of links are composed without waiting for transactions that have locked the links", async () => {
  const { ctx } = await newShop();
  const link = {
    email: "payer@example.com",
    currency: "MYR",
    amount: 500,
    title: "Satay",
  } as const;
  for (let made = 0; made < 2; made++) await create(ctx, { ...link, send_email: true });
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("select from payment_links for no key update");
    expect(await runOnce(mailComposition)).toBe(2);
  } finally {
    await client.query("rollback");
    client.release();
  }
  const { rowCount } = await db.execute(
    sql`select from mails m join payment_links l on l.id = m.object_id`,
  );
  expect(rowCount).toBe(2);
});
