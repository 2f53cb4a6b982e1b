import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { db, onConnection, pool } from "@/db/client";
import { events } from "@/db/schema/events";
import { paymentLinks } from "@/db/schema/payment-links";
import { insertLink } from "@/lib/domain/payment-links/insert-rows";
import { eventsAbout } from "@/lib/domain/events/rows";
import { create, valuesOf } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import { unscopedPayerLink } from "@/lib/domain/payment-links/payer-rows";
import { findShownLink } from "@/lib/domain/payment-links/shown-rows";
import { newId } from "@/lib/kernel/ids";
import { newTenant } from "../contract/setting";

const tenant = await newTenant();
const ctx = tenant.ctx.test;
const input = (title: string) => ({
  email: `${newId()}@example.com`,
  currency: "MYR",
  amount: 1_250,
  title,
});
const born = (mail: string | null = null) => ({ id: newId(), data: {}, mail });
const values = (title: string) => ({ ...valuesOf(input(title)), sendEmail: false });

/** By how many transactions these links were written, and their events. */
async function transactions(ids: readonly string[]): Promise<{ links: number; events: number }> {
  const { rows } = await db.execute<{ links: number; events: number }>(sql`
    select count(distinct l.xmin::text)::int as links, count(distinct e.xid::text)::int as events
    from ${paymentLinks} l join ${events} e on e.object_id = l.id
    where l.id = any(${sql.param([...ids])}::text[])`);
  return rows[0] as { links: number; events: number };
}

describe("links that are created at the same time", () => {
  test("share commits, and each has its own answer, key and event", async () => {
    const titles = Array.from({ length: 60 }, (_, at) => `Together ${at}`);
    const made = await Promise.all(titles.map((title) => create(ctx, input(title))));
    expect(made.map(({ title }) => title)).toEqual(titles);
    const ids = made.map(({ _id }) => _id);
    expect(new Set(ids).size).toBe(60);
    const { links, events: written } = await transactions(ids);
    expect(links).toBe(written);
    expect(links).toBeLessThanOrEqual(6);
    for (const link of made) {
      const [event, ...more] = await eventsAbout(ctx, link._id);
      expect(more).toEqual([]);
      expect(event).toMatchObject({ type: "payment_link.created", data: link });
    }
  });

  test("fail alone: one that the database refuses keeps no other from being written", async () => {
    const wrong = { ...values("Refused"), amount: -1 };
    const outcomes = await Promise.allSettled([
      insertLink(ctx, { id: newId(), values: values("Before"), event: born() }),
      insertLink(ctx, { id: newId(), values: values("First of its batch"), event: born() }),
      insertLink(ctx, { id: newId(), values: wrong, event: born() }),
      insertLink(ctx, { id: newId(), values: values("After"), event: born() }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    const { data } = await list(ctx, { q: "First of its batch" }, new URLSearchParams());
    expect(data).toHaveLength(1);
  });

  test("wait for no other business: a lock on one keeps only its own creates", async () => {
    const other = (await newTenant()).ctx.test;
    const client = await pool().connect();
    try {
      await client.query("begin");
      await client.query("select from businesses where id = $1 for update", [ctx.businessId]);
      const held = [create(ctx, input("Held")), create(ctx, input("Held too"))];
      const free = await create(other, input("Free"));
      expect(free.title).toBe("Free");
      await client.query("commit");
      expect((await Promise.all(held)).map(({ title }) => title)).toEqual(["Held", "Held too"]);
    } finally {
      await client.query("rollback");
      client.release();
    }
  });
});

test("the statements of get, list, create and the payer's page are planned once for a connection", async () => {
  const { _id } = await create(ctx, input("Planned"));
  const client = await pool().connect();
  try {
    const plans = await onConnection(client, async () => {
      for (let call = 0; call < 12; call++) {
        await findShownLink(ctx, _id);
        await unscopedPayerLink(_id);
        await list(ctx, {}, new URLSearchParams());
        await insertLink(ctx, { id: newId(), values: values("Planned too"), event: born() });
      }
      const { rows } = await db.execute<{ name: string; replanned: string }>(
        sql`select name, custom_plans as replanned from pg_prepared_statements where name like 'payment_link%' order by name`,
      );
      return rows;
    });
    expect(plans.map(({ name }) => name)).toEqual([
      "payment_link_find",
      "payment_link_for_payer",
      "payment_links_-created_at_on_first",
      "payment_links_insert",
    ]);
    // Postgres tries five plans for the values at hand before it keeps one for all. An analysis of the table meanwhile costs another.
    for (const { replanned } of plans) expect(Number(replanned)).toBeLessThanOrEqual(7);
  } finally {
    client.release();
  }
});
