import { afterAll, describe, expect, test } from "vitest";
import { closePool, withTransaction } from "@/db/client";
import { api, newTenant } from "@/tests/contract/setting";
import { eventsAbout } from "../events/rows";
import { create as createPackage } from "../packages/create";
import { remove as removePackage } from "../packages/remove";
import { findPackage } from "../packages/rows";
import { update as updatePackage } from "../packages/update";
import { create as createToken } from "../tokenizations/create";
import { revoke } from "../tokenizations/revoke";
import { create } from "./create";
import { get } from "./get";
import { list } from "./list";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import {
  activeToken,
  address,
  ctx,
  packageId,
  statusOf,
  subscribe,
  tenant,
  terms,
  typesOf,
} from "@/tests/domain/subscription-setting";

afterAll(closePool);

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
      {
        ...ctx,
        claim: {
          scope: "none",
          id: "none",
          timestamp: "",
          begun: null,
          settled: false,
          secret: false,
        },
      },
      { package_id: own._id, email: address() },
    ),
  ).rejects.toThrow();
  expect(await findPackage(ctx, own._id)).toMatchObject({ subscribedCount: 0, liveCount: 0 });
  expect((await list(ctx, { package_id: own._id }, new URLSearchParams())).data).toEqual([]);
});
