import pg from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pool } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { unscopedFindKey } from "@/lib/domain/api-keys/rows";
import { dueEvents } from "@/lib/domain/events/queue-rows";
import { get } from "@/lib/domain/payment-links/get";
import { list } from "@/lib/domain/payment-links/list";
import { unscopedPayerLink } from "@/lib/domain/payment-links/payer-rows";
import { unscopedClaim } from "@/lib/jobs/claim-rows";
import { digest } from "@/lib/kernel/secrets";
import { choose, newLink, newShop, press } from "../money/setting";

type Sent = { text: string; values: unknown[] };

afterEach(() => vi.restoreAllMocks());

/** Runs a step and returns the statements that it sent. */
async function sentBy(step: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const real = pg.Client.prototype.query as (...asked: unknown[]) => unknown;
  const watch = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...asked: unknown[]
  ) {
    const [first, values] = asked;
    const { text, values: own } =
      typeof first === "string" ? { text: first, values: undefined } : (first as pg.QueryConfig);
    sent.push({ text, values: (Array.isArray(values) ? values : own) ?? [] });
    return Reflect.apply(real, this, asked) as never;
  });
  await step();
  watch.mockRestore();
  return sent.filter(({ text }) => /^\s*(with|select|insert|update|delete)\b/i.test(text));
}

/** How many shards a statement asks at most in one of its parts, by its plan: 0 for one that stays on the coordinator. */
async function shardsAsked({ text, values }: Sent): Promise<number> {
  const { rows } = await pool().query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  return Math.max(0, ...[...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count)));
}

async function expectOneShard(step: () => Promise<unknown>): Promise<void> {
  const sent = await sentBy(step);
  expect(sent.length).toBeGreaterThan(0);
  const counts = await Promise.all(sent.map(shardsAsked));
  expect(sent.filter((_, at) => (counts[at] ?? 0) > 1)).toEqual([]);
  expect(Math.max(...counts)).toBe(1);
}

describe.runIf(process.env.TEST_CITUS_URL)("on a cluster, one shard is asked by", () => {
  it("authentication", async () => {
    const { ctx } = await newShop();
    const { secret } = await createKey(ctx, "drill", {});
    await expectOneShard(() => unscopedFindKey(digest(secret)));
  });

  it("a link that is created, read, listed and shown to its payer", async () => {
    const shop = await newShop();
    const { ctx } = shop;
    await expectOneShard(() => newLink(shop));
    const link = await newLink(shop);
    await expectOneShard(() => get(ctx, link._id));
    await expectOneShard(() => list(ctx, { per_page: 20 } as never, new URLSearchParams()));
    await expectOneShard(() => unscopedPayerLink(link._id));
  });

  it("a payment that begins and is settled", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    let page: string | undefined;
    await expectOneShard(async () => (page = await press(shop, link._id)));
    await expectOneShard(() => choose(shop, page ?? "", "approve"));
  });

  it("a claim of due work", async () => {
    const shop = await newShop();
    await newLink(shop);
    const tenant = [shop.ctx.businessId];
    const limits = { limit: 10, worker: "drill", leaseSeconds: 60 };
    await expectOneShard(() =>
      unscopedClaim(dueEvents("webhooks"), [{ tenant, room: 10, busy: 0 }], limits),
    );
  });

  it("no statement that leaves the business out", async () => {
    const shop = await newShop();
    const { _id } = await newLink(shop);
    const text = "select status from payment_links where id = $1";
    expect(await shardsAsked({ text, values: [_id] })).toBeGreaterThan(1);
  });
});
