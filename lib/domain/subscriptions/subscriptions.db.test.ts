import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { api, newTenant, type Tenant } from "@/tests/contract/setting";
import { lineFor } from "../businesses/line";
import type { Ctx } from "../context";
import { eventsAbout } from "../events/rows";
import { create as createPackage } from "../packages/create";
import { remove as removePackage } from "../packages/remove";
import { findPackage } from "../packages/rows";
import { update as updatePackage } from "../packages/update";
import { findLink, insertLink } from "../payment-links/rows";
import { presentLink } from "../payment-links/present";
import { begin as beginPayment } from "../payments/begin";
import { begin } from "../tokenizations/begin";
import { create as createToken } from "../tokenizations/create";
import { revoke } from "../tokenizations/revoke";
import { settleActivation } from "../tokenizations/settle";
import { create } from "./create";
import { get } from "./get";
import { list } from "./list";
import { remove } from "./remove";
import { update } from "./update";

let tenant: Tenant;
let ctx: Ctx;
let packageId: string;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_KEY: "0" });
  tenant = await newTenant();
  ctx = tenant.ctx.test;
  packageId = (await createPackage(ctx, terms))._id;
});
afterAll(closePool);

const terms = {
  name: "Membership",
  amount: 1_250,
  currency: "MYR",
  frequency: "yearly",
  date_charge_start: "2027-01-31",
} as const;
const address = () => `${newId()}@example.com`;
const subscribe = (email = address(), on = packageId) =>
  create(ctx, { package_id: on, email, phone_no: "+60 12" });
const typesOf = async (id: string) =>
  (await eventsAbout(ctx, id)).map((event) => event.type).reverse();
const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );
const liveCount = async (id: string) => (await findPackage(ctx, id))?.liveCount;

/** A token whose payer has saved a method. */
async function activeToken(email: string, on: Ctx = ctx): Promise<string> {
  const { _id, token } = await createToken(on, {
    email,
    title: "Membership",
    description: "Renewed every year",
  });
  await begin(token, "test");
  await settleActivation(on, _id, 1, {
    kind: "saved",
    gatewayId: "g",
    method: { id: newId(), card: { brand: "visa", last4: "4242", exp: "01/2040" } },
  });
  return _id;
}

/** A link of one of its periods, as the engine that charges will make them. */
async function periodLink(
  subscriptionId: string,
  periodStart: string,
  change = "",
): Promise<string> {
  const id = newId();
  const values = {
    email: address(),
    currency: "MYR",
    amount: 1_250,
    title: "Membership",
    phoneNo: null,
    description: null,
    redirectUrl: null,
    reference: null,
    reference2: null,
    sendEmail: false,
    expiresAt: null,
    subscriptionId,
    periodStart,
    periodEnd: null,
  };
  const event = { id: newId(), data: {}, mail: null };
  await insertLink(ctx, id, values, event);
  if (change) await db.execute(`update payment_links set ${change} where id = '${id}'`);
  return id;
}

describe("a new subscription", () => {
  test("is created, embeds its package and has no links yet, also in its event", async () => {
    const made = await subscribe();
    expect(made).toMatchObject({
      status: "created",
      package_id: packageId,
      phone_no: "+60 12",
      tokenization_id: null,
      cancelled_at: null,
      payment_links: [],
    });
    expect(made.package).toMatchObject({ _id: packageId, ...terms, description: null });
    expect(await get(ctx, made._id)).toEqual(made);
    const [event, ...more] = await eventsAbout(ctx, made._id);
    expect([event?.type, event?.data, more]).toEqual(["subscription.created", made, []]);
  });

  test("needs an active package of this business and mode, else 422 on package_id and nothing is counted", async () => {
    const stranger = await newTenant();
    const cancelled = await createPackage(ctx, terms);
    await updatePackage(ctx, cancelled._id, { ...terms, status: "cancel" });
    const deleted = await createPackage(ctx, terms);
    await removePackage(ctx, deleted._id);
    const theirs = await createPackage(stranger.ctx.test, terms);
    const live = await createPackage(tenant.ctx.live, terms);
    for (const package_id of [
      cancelled._id,
      deleted._id,
      theirs._id,
      live._id,
      "0".repeat(24),
      packageId.toUpperCase(),
      "x",
      "'; --",
      "😀".repeat(100),
    ]) {
      const answer = await api("POST", "/subscriptions", {
        key: tenant.keys.test,
        body: { package_id, email: address() },
      });
      expect([answer.status, answer.body]).toEqual([
        422,
        {
          message: "The given data was invalid.",
          errors: { package_id: ["The selected package id is invalid."] },
        },
      ]);
    }
    for (const [owner, id] of [
      [ctx, cancelled._id],
      [stranger.ctx.test, theirs._id],
      [tenant.ctx.live, live._id],
    ] as const) {
      expect(await findPackage(owner, id)).toMatchObject({ subscribedCount: 0, liveCount: 0 });
    }
  });

  test("stays when its package is cancelled", async () => {
    const own = await createPackage(ctx, terms);
    const { _id } = await subscribe(address(), own._id);
    await updatePackage(ctx, own._id, { ...terms, status: "cancel" });
    expect(await get(ctx, _id)).toMatchObject({ status: "created", package: { status: "cancel" } });
  });

  test("remembers the payer's active token, whatever the case of the address, and no other", async () => {
    const stranger = await newTenant();
    const email = address();
    await createToken(ctx, { email, title: "Not activated", description: "x" });
    await revoke(ctx, await activeToken(email));
    await activeToken(email, stranger.ctx.test);
    await activeToken(address());
    expect((await subscribe(email)).tokenization_id).toBe(null);
    await activeToken(email);
    const newest = await activeToken(email);
    expect((await subscribe(email.toUpperCase())).tokenization_id).toBe(newest);
  });
});

describe("an update", () => {
  test("leaves what is absent, clears the phone by null, and writes nothing when nothing changes", async () => {
    const made = await subscribe();
    expect(await update(ctx, made._id, {})).toEqual(made);
    expect(await update(ctx, made._id, { email: made.email, phone_no: "+60 12" })).toEqual(made);
    expect(await typesOf(made._id)).toEqual(["subscription.created"]);
    const cleared = await update(ctx, made._id, { phone_no: null });
    expect(cleared).toEqual({ ...made, phone_no: null, updated_at: expect.any(String) });
    expect((await eventsAbout(ctx, made._id)).map((event) => [event.type, event.data])[0]).toEqual([
      "subscription.updated",
      cleared,
    ]);
    expect(await typesOf(made._id)).toEqual(["subscription.created", "subscription.updated"]);
  });

  test("of the address forgets the token, and takes none that the other payer saved before", async () => {
    const [one, other, third] = [address(), address(), address()];
    const tokenOfOne = await activeToken(one);
    await activeToken(other);
    const { _id, tokenization_id } = await subscribe(one);
    expect(tokenization_id).toBe(tokenOfOne);
    expect(await update(ctx, _id, { email: third })).toMatchObject({
      email: third,
      tokenization_id: null,
    });
    expect(await update(ctx, _id, { email: other })).toMatchObject({
      email: other,
      tokenization_id: null,
    });
  });

  test("of the address's case keeps the token", async () => {
    const email = address();
    const token = await activeToken(email);
    const { _id } = await subscribe(email);
    await activeToken(email);
    expect(await update(ctx, _id, { email: email.toUpperCase() })).toMatchObject({
      email: email.toUpperCase(),
      tokenization_id: token,
    });
  });

  test.each(["cancel", "cancelled", "canceled"])(
    "with status %s cancels for good",
    async (status) => {
      const own = await createPackage(ctx, terms);
      const { _id } = await subscribe(address(), own._id);
      const answer = await api("PUT", `/subscriptions/${_id}`, {
        key: tenant.keys.test,
        body: { status },
      });
      expect(answer.body.data).toMatchObject({
        status: "cancel",
        cancelled_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      });
      for (const body of [{}, { status }, { email: address() }])
        expect(
          (await api("PUT", `/subscriptions/${_id}`, { key: tenant.keys.test, body })).status,
        ).toBe(409);
      expect(await typesOf(_id)).toEqual(["subscription.created", "subscription.cancelled"]);
      expect(await liveCount(own._id)).toBe(0);
    },
  );

  test.each(["created", "active", "past_due", "halted", "Cancel", "deleted", 1, true, []])(
    "with status %j is a 422 that lists what is allowed",
    async (status) => {
      const { _id } = await subscribe();
      const answer = await api("PUT", `/subscriptions/${_id}`, {
        key: tenant.keys.test,
        body: { status },
      });
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { status: ["The selected status is invalid. Allowed: cancel, cancelled, canceled."] },
      ]);
      expect((await get(ctx, _id)).status).toBe("created");
    },
  );

  test("that changes the address and cancels tells both", async () => {
    const { _id } = await subscribe();
    const email = address();
    expect(await update(ctx, _id, { email, status: "cancel" })).toMatchObject({
      email,
      status: "cancel",
    });
    const events = (await eventsAbout(ctx, _id))
      .reverse()
      .map((event) => [event.type, event.data.status, event.data.email === email]);
    expect(events.slice(1)).toEqual([
      ["subscription.updated", "created", true],
      ["subscription.cancelled", "cancel", true],
    ]);
  });
});

describe("period links", () => {
  test("come newest first, at most 25, each subscription its own, in one and in the list", async () => {
    const own = await createPackage(ctx, terms);
    const [many, few, none] = [
      await subscribe(address(), own._id),
      await subscribe(address(), own._id),
      await subscribe(address(), own._id),
    ];
    const months = Array.from({ length: 27 }, (_, index) =>
      new Date(Date.UTC(2027, index, 1)).toISOString().slice(0, 10),
    );
    for (const month of months) await periodLink(many._id, month);
    await periodLink(few._id, "2027-01-01");
    const listed = (await list(ctx, { package_id: own._id }, new URLSearchParams())).data;
    expect(listed.map((one) => [one._id, one.payment_links.length])).toEqual([
      [none._id, 0],
      [few._id, 1],
      [many._id, 25],
    ]);
    const starts = (await get(ctx, many._id)).payment_links.map((link) => link.period_start);
    expect(starts).toEqual(months.toReversed().slice(0, 25));
    expect(listed.at(-1)?.payment_links.map((link) => link.period_start)).toEqual(starts);
  });

  test("a list takes two statements however long it is", async () => {
    const own = await createPackage(ctx, terms);
    const queries = async () => {
      const spy = vi.spyOn(pg.Client.prototype, "query");
      await list(ctx, { package_id: own._id, per_page: 100 }, new URLSearchParams());
      const { length } = spy.mock.calls;
      spy.mockRestore();
      return length;
    };
    for (const count of [1, 9]) {
      for (let made = 0; made < count; made++) await subscribe(address(), own._id);
      expect(await queries()).toBe(2);
    }
  });

  test("that are open are cancelled with the subscription, each told once; paid ones and other people's stay", async () => {
    const [{ _id }, other] = [await subscribe(), await subscribe()];
    const [paid, open, theirs] = [
      await periodLink(_id, "2027-01-31", "status = 'Paid', paid_at = now()"),
      await periodLink(_id, "2028-01-31"),
      await periodLink(other._id, "2027-01-31"),
    ];
    const cancelled = await update(ctx, _id, { status: "cancel" });
    expect(cancelled.payment_links.map((link) => [link._id, link.status])).toEqual([
      [open, "Cancelled"],
      [paid, "Paid"],
    ]);
    expect(await typesOf(open)).toEqual(["payment_link.created", "payment_link.cancelled"]);
    expect(await typesOf(paid)).toEqual(["payment_link.created"]);
    expect((await findLink(ctx, theirs))?.status).toBe("Active");
  });

  test("whose payer is at the gateway take no money after the cancelling", async () => {
    const { _id } = await subscribe();
    const open = await periodLink(_id, "2027-01-31");
    const begun = await beginPayment(ctx, open, 1);
    if (begun.kind !== "redirect") throw new Error(begun.kind);
    const paymentId = (await findLink(ctx, open))?.openPaymentId ?? "";
    await update(ctx, _id, { status: "cancel" });
    expect(await findLink(ctx, open)).toMatchObject({ status: "Cancelled", openPaymentId: null });
    const { gateway, connection } = await lineFor(ctx);
    expect((await gateway.find(connection, paymentId)).kind).toBe("cancelled");
    expect(await beginPayment(ctx, open, 1)).toEqual({ kind: "show" });
  });

  test("are open for a payer again in no case once the subscription is deleted", async () => {
    const { _id } = await subscribe();
    const open = await periodLink(_id, "2027-01-31");
    expect((await remove(ctx, _id)).payment_links.map((link) => link.status)).toEqual(["Active"]);
    const link = await findLink(ctx, open);
    expect(link && presentLink(link).status).toBe("Cancelled");
  });
});

describe("a deletion", () => {
  test("takes it out of every read for good; its events stay and its package counts it out once", async () => {
    const own = await createPackage(ctx, terms);
    const made = await subscribe(address(), own._id);
    expect(await remove(ctx, made._id)).toEqual(made);
    const tries = await Promise.all(
      [get(ctx, made._id), update(ctx, made._id, {}), remove(ctx, made._id)].map(statusOf),
    );
    expect(tries).toEqual([404, 404, 404]);
    for (const query of [{ package_id: own._id }, { q: made._id }, { email: made.email }])
      expect((await list(ctx, query, new URLSearchParams())).data).toEqual([]);
    expect(await typesOf(made._id)).toEqual(["subscription.created", "subscription.deleted"]);
    expect(await findPackage(ctx, own._id)).toMatchObject({ subscribedCount: 1, liveCount: 0 });
  });

  test("of a cancelled one counts nothing", async () => {
    const own = await createPackage(ctx, terms);
    const { _id } = await subscribe(address(), own._id);
    await update(ctx, _id, { status: "cancel" });
    expect((await remove(ctx, _id)).status).toBe("cancel");
    expect(await findPackage(ctx, own._id)).toMatchObject({ subscribedCount: 1, liveCount: 0 });
  });
});

test("cancelled and deleted by many at once, it ends once, and its package counts it out once", async () => {
  for (let round = 0; round < 15; round++) {
    const own = await createPackage(ctx, terms);
    const { _id } = await subscribe(address(), own._id);
    const link = await periodLink(_id, "2027-01-31");
    const cancel = () => statusOf(update(ctx, _id, { status: "cancel" }));
    const outcomes = await Promise.all([
      cancel(),
      statusOf(remove(ctx, _id)),
      cancel(),
      statusOf(remove(ctx, _id)),
      statusOf(update(ctx, _id, { phone_no: null })),
    ]);
    expect(outcomes.slice(0, 4).filter((status) => status === 200).length).toBeGreaterThan(0);
    const types = await typesOf(_id);
    expect(types.filter((type) => type === "subscription.deleted")).toHaveLength(1);
    expect(types.filter((type) => type === "subscription.cancelled").length).toBe(
      outcomes[0] === 200 || outcomes[2] === 200 ? 1 : 0,
    );
    expect(await typesOf(link)).toEqual(["payment_link.created", "payment_link.cancelled"]);
    expect(await liveCount(own._id)).toBe(0);
  }
});

test("of another business or mode it is not found and stays as it is", async () => {
  const made = await subscribe();
  const stranger = await newTenant();
  for (const outsider of [stranger.ctx.test, tenant.ctx.live]) {
    const tries = [
      get(outsider, made._id),
      update(outsider, made._id, { status: "cancel" }),
      remove(outsider, made._id),
    ];
    expect(await Promise.all(tries.map(statusOf))).toEqual([404, 404, 404]);
    expect((await list(outsider, {}, new URLSearchParams())).data).toEqual([]);
  }
  expect(await get(ctx, made._id)).toEqual(made);
});

test.each([
  "0".repeat(24),
  "A".repeat(24),
  "x",
  "%00",
  "%27%20or%201=1",
  "..%2f..",
  "9".repeat(100),
])("hostile id %s is a 404 for every verb", async (id) => {
  for (const [method, body] of [["GET"], ["PUT", { status: "cancel" }], ["DELETE"]] as const) {
    expect(
      (await api(method, `/subscriptions/${id}`, { key: tenant.keys.test, body })).status,
    ).toBe(404);
  }
});

test("a walk through the list by cursor shows each once, while others come and go", async () => {
  const own = await createPackage(ctx, terms);
  const ids: string[] = [];
  for (let made = 0; made < 11; made++) ids.push((await subscribe(address(), own._id))._id);
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 10; page++) {
    const answer = await list(
      ctx,
      { package_id: own._id, per_page: 3, cursor },
      new URLSearchParams(),
    );
    seen.push(...answer.data.map((one) => one._id));
    await remove(ctx, (await subscribe(address(), own._id))._id);
    if (!("next_cursor" in answer) || answer.next_cursor === null) break;
    cursor = answer.next_cursor;
  }
  expect(seen).toEqual(ids.toReversed());
  expect(
    await list(ctx, { package_id: own._id, page: 2, per_page: 4 }, new URLSearchParams()),
  ).toMatchObject({ total: 11, current_page: 2, from: 5, to: 8, last_page: 3 });
});

test("the same key sent again makes one subscription", async () => {
  const own = await createPackage(ctx, terms);
  const body = { package_id: own._id, email: address() };
  const send = () =>
    api("POST", "/subscriptions", {
      key: tenant.keys.test,
      body,
      headers: { "idempotency-key": own._id },
    });
  const first = await send();
  expect((await send()).body).toEqual(first.body);
  expect(await findPackage(ctx, own._id)).toMatchObject({ subscribedCount: 1, liveCount: 1 });
});

test("a failed transaction leaves neither subscription nor count", async () => {
  const own = await createPackage(ctx, terms);
  await expect(
    withTransaction(async () => create(ctx, { package_id: own._id, email: address() })),
  ).rejects.toThrow("inside another");
  await expect(
    create(
      { ...ctx, claim: { scope: "none", id: "none", timestamp: "", begun: null, settled: false } },
      { package_id: own._id, email: address() },
    ),
  ).rejects.toThrow();
  expect(await findPackage(ctx, own._id)).toMatchObject({ subscribedCount: 0, liveCount: 0 });
  expect((await list(ctx, { package_id: own._id }, new URLSearchParams())).data).toEqual([]);
});
