import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { api, newTenant, type Tenant } from "@/tests/contract/setting";
import { eventsAbout } from "../events/rows";
import { create as subscribe } from "../subscriptions/create";
import { remove as unsubscribe } from "@/lib/flows/subscription-change/remove";
import { update as change } from "@/lib/flows/subscription-change/update";
import { create } from "./create";
import { get } from "./get";
import { list } from "./list";
import { remove } from "./remove";
import { findPackage } from "./rows";
import { update } from "./update";

let tenant: Tenant;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
  tenant = await newTenant();
});
afterAll(closePool);

const input = {
  name: "Membership",
  amount: 1_250,
  currency: "MYR",
  frequency: "yearly",
  date_charge_start: "2027-01-31",
  description: "All of it",
} as const;
const other = {
  amount: 1_300,
  currency: "SGD",
  frequency: "monthly",
  date_charge_start: "2027-02-01",
} as const;

const typesOf = async (id: string) =>
  (await eventsAbout(tenant.ctx.test, id)).map((event) => event.type).reverse();
const countsOf = async (id: string) => {
  const row = await findPackage(tenant.ctx.test, id);
  return { subscribed: row?.subscribedCount, live: row?.liveCount };
};
const subscriber = () => ({ email: `${newId()}@example.com` });
/** The status a promise was refused with; 200 when it was not. */
const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );
const statusesOf = (works: Array<Promise<unknown>>) => Promise.all(works.map(statusOf));

describe("a package", () => {
  test("is answered as it was made, and every change writes one event that holds the answer", async () => {
    const ctx = tenant.ctx.test;
    const made = await create(ctx, input);
    expect(made).toMatchObject({
      ...input,
      status: "active",
      business_id: tenant.businessId,
      amount_decimal: "12.50",
    });
    const changed = await update(ctx, made._id, {
      ...input,
      name: "Gold",
      description: undefined,
      status: "cancel",
    });
    expect(changed).toMatchObject({
      _id: made._id,
      name: "Gold",
      description: null,
      status: "cancel",
      created_at: made.created_at,
    });
    expect((await update(ctx, made._id, input)).status).toBe("cancel");
    const { subscribed, ...last } = await remove(ctx, made._id);
    expect(subscribed).toBe(false);
    const events = (await eventsAbout(ctx, made._id)).reverse();
    expect(events.map((event) => event.type)).toEqual([
      "package.created",
      "package.updated",
      "package.updated",
      "package.deleted",
    ]);
    const answered = [made, changed, last].map((one) => ({ ...one, subscribed: false }));
    expect([0, 1, 3].map((at) => ({ ...events[at]?.data, subscribed: false }))).toEqual(answered);
  });

  test("is gone once deleted", async () => {
    const { _id } = await create(tenant.ctx.test, input);
    await remove(tenant.ctx.test, _id);
    expect(
      await statusesOf([
        get(tenant.ctx.test, _id),
        remove(tenant.ctx.test, _id),
        update(tenant.ctx.test, _id, input),
      ]),
    ).toEqual([404, 404, 404]);
    expect((await list(tenant.ctx.test, { q: _id }, new URLSearchParams())).data).toEqual([]);
  });

  test("of another business or mode is not found and stays as it is", async () => {
    const stranger = await newTenant();
    for (const [owner, outsider] of [
      [tenant.ctx.test, stranger.ctx.test],
      [tenant.ctx.test, tenant.ctx.live],
      [tenant.ctx.live, tenant.ctx.test],
    ] as const) {
      const made = await create(owner, input);
      const tries = [
        get(outsider, made._id),
        update(outsider, made._id, { ...input, name: "Mine" }),
        remove(outsider, made._id),
      ];
      expect(await statusesOf(tries)).toEqual([404, 404, 404]);
      expect((await list(outsider, { q: made._id }, new URLSearchParams())).data).toEqual([]);
      expect(await get(owner, made._id)).toEqual({ ...made, subscribed: false });
    }
  });

  test.each([
    "0".repeat(24),
    "A".repeat(24),
    "x",
    "%00",
    "%27%20or%201=1",
    "..%2f..",
    "9".repeat(500),
    "%F0%9F%92%B8",
  ])("hostile id %s is a 404 for every verb", async (id) => {
    for (const [method, body] of [["GET"], ["PUT", input], ["DELETE"]] as const) {
      expect((await api(method, `/packages/${id}`, { key: tenant.keys.test, body })).status).toBe(
        404,
      );
    }
  });

  test.each([
    "0000-01-01",
    "2027-02-29",
    "2027-13-01",
    "31-01-2027",
    "2027-1-1",
    "99999-01-01",
    "tomorrow",
    20270101,
    true,
  ])("start %s is a 422", async (day) => {
    const answer = await api("POST", "/packages", {
      key: tenant.keys.test,
      body: { ...input, date_charge_start: day },
    });
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([
      422,
      ["date_charge_start"],
    ]);
  });

  test("a search takes wildcards as they are written", async () => {
    const name = `100% off_${newId()}`;
    const { _id } = await create(tenant.ctx.test, { ...input, name });
    const found = async (q: string) =>
      (await list(tenant.ctx.test, { q }, new URLSearchParams())).data.map((one) => one._id);
    expect(await found(name)).toEqual([_id]);
    expect(await found(name.replace("_", "%"))).toEqual([]);
    expect(await found(name.replace("_", "-"))).toEqual([]);
  });
});

describe("once subscribed", () => {
  test("its terms are frozen, each named in the refusal, and the rest may change", async () => {
    const ctx = tenant.ctx.test;
    const made = await create(ctx, input);
    const subscription = await subscribe(ctx, { package_id: made._id, ...subscriber() });
    await change(ctx, subscription._id, { status: "cancel" });
    for (const [field, value] of Object.entries(other)) {
      await expect(update(ctx, made._id, { ...input, [field]: value })).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining(field),
      });
    }
    await expect(update(ctx, made._id, { ...input, ...other })).rejects.toMatchObject({
      message: expect.stringContaining("amount, currency, frequency, date_charge_start"),
    });
    expect(await get(ctx, made._id)).toEqual({ ...made, subscribed: true });
    expect(
      await update(ctx, made._id, {
        ...input,
        name: "Gold",
        description: "Less",
        status: "cancel",
      }),
    ).toMatchObject({ name: "Gold", description: "Less", status: "cancel" });
    expect(await typesOf(made._id)).toEqual(["package.created", "package.updated"]);
  });

  test("it says so, also once its only subscription is deleted: what is fixed is not offered", async () => {
    const ctx = tenant.ctx.test;
    const made = await create(ctx, input);
    const { _id } = await subscribe(ctx, { package_id: made._id, ...subscriber() });
    await unsubscribe(ctx, _id);
    expect((await get(ctx, made._id)).subscribed).toBe(true);
    expect(await statusOf(update(ctx, made._id, { ...input, ...other }))).toBe(409);
  });

  test("it is not deleted while a subscription lives, and is afterwards", async () => {
    const ctx = tenant.ctx.test;
    const made = await create(ctx, input);
    const kept = await subscribe(ctx, { package_id: made._id, ...subscriber() });
    const gone = await subscribe(ctx, { package_id: made._id, ...subscriber() });
    expect(await statusOf(remove(ctx, made._id))).toBe(409);
    await unsubscribe(ctx, gone._id);
    expect(await statusOf(remove(ctx, made._id))).toBe(409);
    await change(ctx, kept._id, { status: "cancel" });
    expect(await statusOf(remove(ctx, made._id))).toBe(200);
    expect(await typesOf(made._id)).toEqual(["package.created", "package.deleted"]);
  });

  test("the terms may change until then", async () => {
    const { _id } = await create(tenant.ctx.test, input);
    expect(await update(tenant.ctx.test, _id, { ...input, ...other })).toMatchObject(other);
  });
});

describe("at the same time", () => {
  test("a package is either subscribed to or deleted", async () => {
    for (let round = 0; round < 20; round++) {
      const { _id } = await create(tenant.ctx.test, input);
      const outcomes = await Promise.all([
        statusOf(subscribe(tenant.ctx.test, { package_id: _id, ...subscriber() })),
        statusOf(remove(tenant.ctx.test, _id)),
      ]);
      expect([
        [200, 409],
        [422, 200],
      ]).toContainEqual(outcomes);
    }
  });

  test("a subscriber gets the terms that hold, or the terms are frozen", async () => {
    for (let round = 0; round < 20; round++) {
      const { _id } = await create(tenant.ctx.test, input);
      const [subscription] = await Promise.all([
        subscribe(tenant.ctx.test, { package_id: _id, ...subscriber() }),
        statusOf(update(tenant.ctx.test, _id, { ...input, ...other })),
      ]);
      expect(subscription.package.amount).toBe((await get(tenant.ctx.test, _id)).amount);
    }
  });
});

type Step = { kind: "subscribe"; at: number } | { kind: "cancel" | "delete"; at: number };
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("subscribe", "cancel", "delete"),
  at: fc.nat(9),
});

test("whatever is done in whatever order, also at once, the counts are those of the subscriptions there are", async () => {
  const ctx = tenant.ctx.test;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 6 }),
      async (rounds) => {
        const packages = [await create(ctx, input), await create(ctx, input)].map((one) => one._id);
        const made: string[] = [];
        const mine = new Map<string, string>();
        for (const round of rounds) {
          const before = [...made];
          await Promise.all(
            round.map(async ({ kind, at }) => {
              if (kind === "subscribe") {
                const { _id, package_id } = await subscribe(ctx, {
                  package_id: packages[at % 2] ?? "",
                  ...subscriber(),
                });
                made.push(_id);
                mine.set(_id, package_id);
                return;
              }
              const id = before[at % Math.max(1, before.length)];
              if (id)
                await statusOf(
                  kind === "cancel" ? change(ctx, id, { status: "cancel" }) : unsubscribe(ctx, id),
                );
            }),
          );
        }
        for (const id of packages) {
          const all = made.filter((one) => mine.get(one) === id);
          const ended = await Promise.all(
            all.map(async (one) =>
              (await eventsAbout(ctx, one)).some(
                (event) =>
                  event.type === "subscription.cancelled" || event.type === "subscription.deleted",
              ),
            ),
          );
          expect(await countsOf(id)).toEqual({
            subscribed: all.length,
            live: ended.filter((over) => !over).length,
          });
        }
      },
    ),
    { numRuns: 25 },
  );
});

test("the database itself refuses a negative count", async () => {
  const { _id } = await create(tenant.ctx.test, input);
  await expect(
    db.execute(`update packages set live_count = -1 where id = '${_id}'`),
  ).rejects.toThrow();
});
