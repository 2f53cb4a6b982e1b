import { expect, test } from "vitest";
import { create } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import { remove } from "@/lib/domain/payment-links/remove";
import { newId } from "@/lib/kernel/ids";
import { newTenant } from "../contract/setting";

const input = (title: string) => ({
  email: `${newId()}@example.com`,
  currency: "MYR",
  amount: 1_250,
  title,
});
const titlesOf = async (ctx: Parameters<typeof list>[0], search = "") => {
  const page = await list(ctx, {}, new URLSearchParams(search));
  return page.data.map(({ title }) => title);
};

test("a list holds what was created, and nothing that was deleted, before it was asked for, however many equal ones are under way", async () => {
  const { test: ctx } = (await newTenant()).ctx;
  const crowd = new AbortController();
  const crowds = Array.from({ length: 12 }, async () => {
    while (!crowd.signal.aborted) await titlesOf(ctx);
  });
  for (let n = 0; n < 40; n++) {
    const title = `Round ${n}`;
    const { _id } = await create(ctx, input(title));
    expect((await titlesOf(ctx))[0]).toBe(title);
    await remove(ctx, _id);
    expect(await titlesOf(ctx)).not.toContain(title);
  }
  crowd.abort();
  await Promise.all(crowds);
});

test("lists at the same moment are of the business, the mode and the addresses that each asked for", async () => {
  const [one, two] = [await newTenant(), await newTenant()];
  const places = [one.ctx.test, one.ctx.live, two.ctx.test];
  for (const [at, ctx] of places.entries()) await create(ctx, input(`Place ${at}`));
  const asked = Array.from({ length: 30 }, (_, n) => n % places.length);
  const found = await Promise.all(
    asked.map((at) => titlesOf(places[at] as (typeof places)[number])),
  );
  expect(found).toEqual(asked.map((at) => [`Place ${at}`]));
  const [plain, marked] = await Promise.all(
    ["", "x=1"].map((search) => list(one.ctx.test, {}, new URLSearchParams(search))),
  );
  expect([plain, marked].map((page) => page?.data.length)).toEqual([1, 1]);
  expect(plain).not.toBe(marked);
});
