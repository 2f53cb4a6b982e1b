import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { foldCounts } from "@/db/list-counts";
import { SupervisorLock } from "@/lib/supervisor/supervisor-lock";
import { newLink, newShop } from "../money/setting";

const unfolded = async () =>
  (
    await db.execute<{ rows: number }>(
      sql`select (select count(*) from payment_link_counts where not folded)::int + (select count(*) from payment_link_stages where not folded)::int as rows`,
    )
  ).rows[0]?.rows;

test("counts are folded while npm start holds the lock of its database", async () => {
  const shop = await newShop();
  await newLink(shop, 1_200);
  expect(await unfolded()).toBeGreaterThan(0);
  const lock = new SupervisorLock("the folder of this test", () => undefined);
  await lock.take();
  try {
    await foldCounts();
    expect(await unfolded()).toBe(0);
  } finally {
    await lock.release();
  }
});
