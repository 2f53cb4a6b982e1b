import { withTransaction } from "@/db/client";
import type { Event } from "@/lib/contract/events";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { insertEvent } from "@/lib/domain/events/rows";
import { newId } from "@/lib/kernel/ids";
import { expect, test } from "../fixtures";
import { newLink, newShop, type Shop } from "../shop";

type CursorPage<T> = {
  data: T[];
  path: string;
  per_page: number;
  next_cursor: string | null;
  next_page_url: string | null;
  prev_cursor: string | null;
  prev_page_url: string | null;
};

const eventsAfter = (shop: Shop, id: string, perPage = 3) =>
  shop.api.ok<CursorPage<Event>>("GET", `/events?after=${id}&per_page=${perPage}`);
const allLinks = (shop: Shop, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => newLink(shop, { reference: `R${i}` })));

/** Emits an event in a transaction that stays open until released; the object id identifies the event. */
function lateEvent(
  shop: Shop,
  objectId: string,
): { written: Promise<void>; commit: () => Promise<void> } {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done = withTransaction(async (tx) => {
    await insertEvent(shop.ctx, tx, {
      type: "payment_link.updated",
      objectId,
      data: { object: objectId },
    });
    begun.resolve();
    await gate.promise;
  });
  const commit = () => {
    gate.resolve();
    return done;
  };
  return { written: begun.promise, commit };
}

test("a reader of events misses none of those that commit late, and sees each once and in order", async ({
  shop,
}) => {
  const first = await newLink(shop);
  await expect
    .poll(async () => (await shop.api.ok<CursorPage<Event>>("GET", "/events")).data.length)
    .toBe(1);
  const [start] = (await shop.api.ok<CursorPage<Event>>("GET", "/events")).data as [Event];
  expect(start.data._id).toBe(first._id);

  const seen: string[] = [];
  let cursor = start._id;
  const read = async () => {
    for (let more = true; more; ) {
      const page = await eventsAfter(shop, cursor);
      seen.push(...page.data.map(({ data }) => String(data._id ?? data.object)));
      cursor = page.data.at(-1)?._id ?? cursor;
      more = page.next_page_url !== null;
    }
  };
  const expected: string[] = [];
  for (let round = 0; round < 5; round++) {
    const late = [lateEvent(shop, `late ${round} a`), lateEvent(shop, `late ${round} b`)];
    for (const one of late) await one.written;
    const made = await allLinks(shop, 4);
    expected.push(...made.map(({ _id }) => _id), `late ${round} a`, `late ${round} b`);
    await Promise.all([read(), ...late.map((one) => one.commit())]);
    await read();
  }
  await expect(async () => {
    await read();
    expect([...seen].sort()).toEqual([...expected].sort());
  }).toPass();
  // A second reader who comes later sees the same order.
  const first15 = await eventsAfter(shop, start._id, 100);
  expect(first15.data.map(({ data }) => String(data._id ?? data.object))).toEqual(seen);
});

test("an event of another business, or none, is no place to read from", async ({
  shop,
  install,
}) => {
  const other = await newShop(install.url);
  await newLink(other);
  const [foreign] = (await other.api.ok<CursorPage<Event>>("GET", "/events")).data as [Event];
  for (const after of [foreign._id, newId(), "x", ""]) {
    const answer = await shop.api.call("GET", `/events?after=${after}`);
    expect([after, answer.status === 422 || (after === "" && answer.status === 200)]).toEqual([
      after,
      true,
    ]);
  }
});

for (const sort of ["-created_at", "created_at", "amount"]) {
  test(`walking by ${sort} while links come and go, those that stay appear exactly once, there and back`, async ({
    shop,
  }) => {
    const staying = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        newLink(shop, { amount: 1_000 + (i % 5), reference: "stays" }),
      ),
    );
    const going = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        newLink(shop, { amount: 1_000 + (i % 5), reference: "goes" }),
      ),
    );
    const ids = new Set(staying.map(({ _id }) => _id));
    let address: string | null = `${shop.api.url}/api/payment-links?per_page=5&sort=${sort}`;
    const get = (url: string) =>
      shop.api.ok<CursorPage<PaymentLink>>("GET", url.slice(url.indexOf("/api") + 4));
    const there: string[] = [];
    let last: CursorPage<PaymentLink> | undefined;
    while (address) {
      const page: CursorPage<PaymentLink> = await get(address);
      there.push(...page.data.map(({ _id }) => _id));
      const leaving = going.pop();
      await Promise.all([
        newLink(shop, { amount: 1_002, reference: "comes" }),
        leaving ? shop.api.ok("DELETE", `/payment-links/${leaving._id}`) : undefined,
      ]);
      last = page;
      address = page.next_page_url;
      // What comes last in the order would otherwise keep the walk going for ever.
      if (there.length > 80) break;
    }
    expect(there.filter((id) => ids.has(id)).sort()).toEqual([...ids].sort());
    expect(new Set(there).size).toBe(there.length);
    const back: string[] = (last?.data ?? []).map(({ _id }) => _id);
    for (let previous = last?.prev_page_url ?? null; previous; ) {
      const page: CursorPage<PaymentLink> = await get(previous);
      back.unshift(...page.data.map(({ _id }) => _id));
      previous = page.prev_page_url;
    }
    expect(back.filter((id) => ids.has(id))).toEqual(there.filter((id) => ids.has(id)));
  });
}

test("a cursor that was altered, or belongs to another list, order or business, is 422 on it", async ({
  shop,
  install,
}) => {
  await allLinks(shop, 3);
  const { next_cursor } = await shop.api.ok<CursorPage<PaymentLink>>(
    "GET",
    "/payment-links?per_page=1",
  );
  const cursor = next_cursor ?? "";
  const other = await newShop(install.url);
  const flipped = cursor.slice(0, 5) + (cursor[5] === "A" ? "B" : "A") + cursor.slice(6);
  const wrong = [
    `/payment-links?cursor=${flipped}`,
    `/payment-links?cursor=${cursor.slice(0, -1)}`,
    "/payment-links?cursor=x",
    `/payments?cursor=${cursor}`,
    `/payment-links?sort=amount&cursor=${cursor}`,
  ];
  for (const [api, path] of [
    ...wrong.map((path) => [shop.api, path] as const),
    [other.api, `/payment-links?cursor=${cursor}`] as const,
  ]) {
    const answer = await api.call("GET", path);
    expect([path, answer.status, answer.body.errors]).toEqual([
      path,
      422,
      { cursor: ["The selected cursor is invalid."] },
    ]);
  }
  expect((await shop.api.call("GET", `/payment-links?per_page=1&cursor=${cursor}`)).status).toBe(
    200,
  );
});

test("both paginators have their documented shape, and their addresses keep the query and lead on", async ({
  shop,
  install,
}) => {
  await allLinks(shop, 5);
  const path = `${install.url}/api/payment-links`;
  const cursor = await shop.api.ok<CursorPage<PaymentLink>>(
    "GET",
    "/payment-links?per_page=2&currency=MYR",
  );
  expect(Object.keys(cursor).sort()).toEqual([
    "data",
    "next_cursor",
    "next_page_url",
    "path",
    "per_page",
    "prev_cursor",
    "prev_page_url",
  ]);
  expect(cursor).toMatchObject({ path, per_page: 2, prev_cursor: null, prev_page_url: null });
  const next = new URL(cursor.next_page_url ?? "");
  expect(Object.fromEntries(next.searchParams)).toEqual({
    per_page: "2",
    currency: "MYR",
    cursor: cursor.next_cursor,
  });
  const numbered = await shop.api.ok<Record<string, unknown>>(
    "GET",
    "/payment-links?per_page=2&page=2&currency=MYR",
  );
  const page = (number: number) => `${path}?per_page=2&page=${number}&currency=MYR`;
  expect(numbered).toEqual({
    current_page: 2,
    data: expect.any(Array),
    first_page_url: page(1),
    from: 3,
    last_page: 3,
    last_page_url: page(3),
    next_page_url: page(3),
    path,
    per_page: 2,
    prev_page_url: page(1),
    to: 4,
    total: 5,
  });
  expect(await shop.api.ok("GET", "/payment-links?page=9")).toMatchObject({
    data: [],
    from: null,
    to: null,
    next_page_url: null,
    last_page: 1,
    total: 5,
  });
});
