import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { press } from "@/lib/gateways/simulator/bank";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { digest, unseal } from "@/lib/kernel/secrets";
import { api, newTenant, type Tenant } from "@/tests/contract/setting";
import { lineFor } from "../businesses/line";
import { eventsAbout } from "../events/rows";
import { begin } from "./begin";
import { create } from "./create";
import { expire } from "./expire";
import { get } from "./get";
import { list } from "./list";
import { lookUp, reconcileDueActivations, reconcileReference } from "./reconcile";
import { revoke } from "./revoke";
import {
  find,
  lockTokenization,
  type TokenizationRow,
  unscopedClaimDue,
  unscopedExpiredTokenizations,
} from "./rows";
import { referenceOf } from "./rules";
import { settleActivation } from "./settle";

let tenant: Tenant;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_KEY: "0" });
  tenant = await newTenant();
  await setTimes((await lineFor(tenant.ctx.test)).connection, { answerLimitMs: 50 });
});
afterAll(closePool);

const input = { email: "Ana@example.com", title: "Membership", description: "Renewed every year" };
const make = () => create(tenant.ctx.test, input);
const typesOf = async (id: string) =>
  (await eventsAbout(tenant.ctx.test, id)).map((event) => event.type).reverse();
const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );

async function rowOf(id: string): Promise<TokenizationRow> {
  const row = await find(tenant.ctx.test, id);
  if (!row) throw new Error("no such tokenization");
  return row;
}

/** Lets time pass for one record: its moments lie that much further back. */
const age = (id: string, minutes: number) =>
  db.execute(`update tokenizations set attempt_at = attempt_at - interval '${minutes} minutes', expires_at = expires_at - interval '${minutes} minutes',
    next_check_at = next_check_at - interval '${minutes} minutes' where id = '${id}'`);
const threeDays = 72 * 60;

type Opened = { id: string; token: string; url: string };

async function openPage(): Promise<Opened> {
  const { _id: id, token } = await make();
  const begun = await begin(token, "test");
  if (begun.kind !== "redirect") throw new Error(begun.kind);
  return { id, token, url: begun.url };
}

const pressOn = (url: string, outcome: Parameters<typeof press>[1]) =>
  press(url.split("/").at(-1) ?? "", outcome, 1);
const look = async (id: string) => lookUp(tenant.ctx.test, await rowOf(id));
const connectionId = async () => (await lineFor(tenant.ctx.test)).connection.id;

describe("a token", () => {
  test("is a secret: 64 hex characters, sealed at rest, absent from events, with no mail", async () => {
    const made = await make();
    expect(made.token).toMatch(/^[0-9a-f]{64}$/);
    expect(made).toMatchObject({
      ...input,
      status: "pending",
      payment_method: null,
      activation_url: `http://localhost:3000/activate/${made.token}?test=true`,
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(72 * 3_600_000);
    const row = await rowOf(made._id);
    expect([row.tokenDigest, unseal(row.token, "tokenization")]).toEqual([
      digest(made.token),
      made.token,
    ]);
    expect(JSON.stringify(row)).not.toContain(made.token);
    const [event, ...more] = await eventsAbout(tenant.ctx.test, made._id);
    const { token: _token, activation_url: _address, ...rest } = made;
    expect([event?.type, event?.mail, event?.data, more]).toEqual([
      "tokenization.created",
      null,
      rest,
      [],
    ]);
  });

  test("of live mode has no test=true in its address", async () => {
    expect((await create(tenant.ctx.live, input)).activation_url).not.toContain("?");
  });

  test("is found by itself and by its id, in its own business and mode only", async () => {
    const made = await make();
    const stranger = await newTenant();
    for (const name of [made.token, made._id]) {
      expect(await get(tenant.ctx.test, name)).toEqual(made);
      for (const ctx of [tenant.ctx.live, stranger.ctx.test]) {
        expect(await statusOf(get(ctx, name))).toBe(404);
        expect(await statusOf(revoke(ctx, name))).toBe(404);
      }
    }
    expect((await list(stranger.ctx.test, {}, new URLSearchParams())).data).toEqual([]);
    expect((await get(tenant.ctx.test, made._id)).status).toBe("pending");
  });

  test.each(["0".repeat(64), "A".repeat(64), "f".repeat(63), "%00", "%27or1=1", "9".repeat(100)])(
    "hostile token %s is a 404",
    async (token) => {
      for (const method of ["GET", "DELETE"])
        expect(
          (await api(method, `/tokenizations/${token}`, { key: tenant.keys.test })).status,
        ).toBe(404);
    },
  );

  test("is revoked once, stays readable and can be listed by its status", async () => {
    const { _id, token } = await make();
    const revoked = await revoke(tenant.ctx.test, token);
    expect(revoked.status).toBe("revoked");
    expect(await statusOf(revoke(tenant.ctx.test, _id))).toBe(409);
    expect(await get(tenant.ctx.test, _id)).toEqual(revoked);
    expect(
      (await list(tenant.ctx.test, { q: _id, status: "revoked" }, new URLSearchParams())).data,
    ).toEqual([revoked]);
    expect(await typesOf(_id)).toEqual(["tokenization.created", "tokenization.revoked"]);
    expect(await begin(token, "test")).toEqual({ kind: "show" });
  });

  test("expires after 72 hours, once, and cannot be used or revoked then", async () => {
    const { _id, token } = await make();
    expect(await expire(tenant.ctx.test, _id)).toBe(false);
    await age(_id, threeDays);
    expect(await begin(token, "test")).toEqual({ kind: "show" });
    expect((await unscopedExpiredTokenizations(1_000)).map(({ id }) => id)).toContain(_id);
    const done = await Promise.all([1, 2, 3].map(() => expire(tenant.ctx.test, _id)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await statusOf(revoke(tenant.ctx.test, _id))).toBe(409);
    expect(await typesOf(_id)).toEqual(["tokenization.created", "tokenization.expired"]);
  });
});

describe("activation", () => {
  test("leads to one page, however often and from however many tabs it is begun", async () => {
    const { id, token, url } = await openPage();
    const begun = await Promise.all(Array.from({ length: 16 }, () => begin(token, "test")));
    expect(new Set(begun.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ kind: "redirect", url })]),
    );
    expect((await rowOf(id)).attempt).toBe(1);
  });

  test("begun by many at once opens one attempt", async () => {
    const { _id, token } = await make();
    const begun = await Promise.all(Array.from({ length: 16 }, () => begin(token, "test")));
    expect(new Set(begun.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await rowOf(_id)).toMatchObject({
      attempt: 1,
      attemptUrl: begun[0]?.kind === "redirect" ? begun[0].url : null,
    });
  });

  test("happens once: many looks at once make one event, the method's name at the gateway is sealed and shown nowhere", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    const rows = await Promise.all(Array.from({ length: 8 }, () => look(id)));
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["active"]));
    const shown = await get(tenant.ctx.test, id);
    expect(shown).toMatchObject({
      status: "active",
      payment_method: { brand: "visa", last4: "4242", exp: expect.stringMatching(/^\d\d\/\d{4}$/) },
    });
    const method = unseal((await rowOf(id)).methodId ?? "", "gateway");
    expect(
      JSON.stringify([shown, await eventsAbout(tenant.ctx.test, id), await rowOf(id)]),
    ).not.toContain(method);
    expect(await typesOf(id)).toEqual(["tokenization.created", "tokenization.activated"]);
  });

  test("is not changed by a second saved answer, nor by a failure told late", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    const before = await look(id);
    const another = { id: "m2", card: { brand: "amex", last4: "0000", exp: "01/2040" } };
    await settleActivation(tenant.ctx.test, id, 1, {
      kind: "saved",
      gatewayId: "g2",
      method: another,
    });
    await settleActivation(tenant.ctx.test, id, 1, {
      kind: "failed",
      gatewayId: "g2",
      decline: "hard",
      reason: "late",
    });
    await settleActivation(tenant.ctx.test, id, 2, {
      kind: "saved",
      gatewayId: "g2",
      method: another,
    });
    expect(await rowOf(id)).toEqual(before);
    expect(await typesOf(id)).toEqual(["tokenization.created", "tokenization.activated"]);
  });

  test.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ] as const)(
    "after %s the token is pending with a notice and a new page can be opened",
    async (outcome, notice) => {
      const { id, token, url } = await openPage();
      await pressOn(url, outcome);
      expect(await look(id)).toMatchObject({
        status: "pending",
        attemptAt: null,
        nextCheckAt: null,
        notice: { kind: notice },
      });
      const again = await begin(token, "test");
      expect(again).toEqual({ kind: "redirect", url: expect.any(String) });
      expect(again).not.toEqual({ kind: "redirect", url });
      await pressOn((again as { url: string }).url, "approve");
      expect((await look(id)).status).toBe("active");
      expect(await typesOf(id)).toEqual(["tokenization.created", "tokenization.activated"]);
    },
  );

  test("is found by pressing again when the way back was lost", async () => {
    const { id, token, url } = await openPage();
    await pressOn(url, "approve");
    expect(await begin(token, "test")).toEqual({ kind: "show" });
    expect((await rowOf(id)).status).toBe("active");
  });

  test("is found by the callback's reference, of its own connection only", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    const reference = referenceOf(id, 1);
    expect(await reconcileReference(tenant.ctx.test, "another", reference)).toBe(false);
    expect(
      await reconcileReference(tenant.ctx.test, await connectionId(), referenceOf(id, 2)),
    ).toBe(false);
    expect(await reconcileReference(tenant.ctx.test, await connectionId(), newId())).toBe(false);
    expect((await rowOf(id)).status).toBe("pending");
    expect(await reconcileReference(tenant.ctx.test, await connectionId(), reference)).toBe(true);
    expect((await rowOf(id)).status).toBe("active");
  });

  test("is found by the reconciler when nobody comes back", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await db.execute(
      `update tokenizations set next_check_at = now() - interval '1 day' where id = '${id}'`,
    );
    await reconcileDueActivations(50, "test");
    expect((await rowOf(id)).status).toBe("active");
  });

  test("without a definite answer stays pending, says so, and is looked up until there is one", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
    expect(await look(id)).toMatchObject({
      status: "pending",
      notice: { kind: "processing" },
      nextCheckAt: expect.any(String),
    });
    expect((await look(id)).status).toBe("active");
  });

  test("whose page was opened but not told is begun again under the same key", async () => {
    const { _id, token } = await make();
    await script(await connectionId(), "save", "reset", { reference: referenceOf(_id, 1) });
    expect(await begin(token, "test")).toEqual({ kind: "show" });
    expect(await rowOf(_id)).toMatchObject({ attempt: 1, notice: { kind: "declined" } });
    const begun = await begin(token, "test");
    expect(begun.kind).toBe("redirect");
    expect(await rowOf(_id)).toMatchObject({
      attempt: 1,
      attemptUrl: (begun as { url: string }).url,
      notice: null,
    });
  });

  test("that never reached the gateway is sent again, and given up only after its time", async () => {
    const { _id, token } = await make();
    await script(await connectionId(), "save", "error", { reference: referenceOf(_id, 1) });
    await begin(token, "test");
    expect(await look(_id)).toMatchObject({ attempt: 1, attemptAt: expect.any(String) });
    await age(_id, 31);
    expect(await look(_id)).toMatchObject({
      attempt: 1,
      attemptAt: null,
      nextCheckAt: null,
      status: "pending",
    });
    expect((await begin(token, "test")).kind).toBe("redirect");
    expect((await rowOf(_id)).attempt).toBe(2);
  });

  test("that nobody finished is cancelled at the gateway and released", async () => {
    const { id, url } = await openPage();
    await age(id, 31);
    expect(await look(id)).toMatchObject({ status: "pending", attemptAt: null });
    expect((await pressOn(url, "approve"))?.state).not.toBe("saved");
  });

  test("keeps the token from expiring until its outcome is known", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await age(id, threeDays);
    expect(await expire(tenant.ctx.test, id)).toBe(false);
    expect((await unscopedExpiredTokenizations(1_000)).map((row) => row.id)).not.toContain(id);
    expect((await look(id)).status).toBe("active");
  });

  test("cannot be begun in live mode without a gateway", async () => {
    const { token } = await create(tenant.ctx.live, input);
    expect(await statusOf(begin(token, "test"))).toBe(409);
    expect(
      (await api("POST", "/tokenizations/create-token", { key: tenant.keys.live, body: input }))
        .body,
    ).toMatchObject({ code: "gateway_not_connected" });
  });
});

describe("a token revoked while its payer is at the gateway", () => {
  test("is not activated by what they do there", async () => {
    const { id, token, url } = await openPage();
    await pressOn(url, "approve");
    await revoke(tenant.ctx.test, token);
    expect(await look(id)).toMatchObject({
      status: "revoked",
      methodId: null,
      attemptAt: null,
      nextCheckAt: null,
    });
    expect(await typesOf(id)).toEqual(["tokenization.created", "tokenization.revoked"]);
  });

  test("has its page closed by the reconciler", async () => {
    const { id, token, url } = await openPage();
    await revoke(tenant.ctx.test, token);
    await db.execute(
      `update tokenizations set next_check_at = now() - interval '1 day' where id = '${id}'`,
    );
    await reconcileDueActivations(50, "test");
    expect((await pressOn(url, "approve"))?.state).toBe("cancelled");
    expect(await rowOf(id)).toMatchObject({ attemptAt: null, nextCheckAt: null });
  });

  test("ends revoked whichever comes first, with each change told once", async () => {
    for (let round = 0; round < 15; round++) {
      const { id, token, url } = await openPage();
      await pressOn(url, "approve");
      await Promise.all([revoke(tenant.ctx.test, token), look(id)]);
      expect((await rowOf(id)).status).toBe("revoked");
      const types = await typesOf(id);
      expect([
        ["tokenization.created", "tokenization.revoked"],
        ["tokenization.created", "tokenization.activated", "tokenization.revoked"],
      ]).toContainEqual(types);
    }
  });
});

test("a worker whose claim was taken over changes nothing", async () => {
  const { id } = await openPage();
  await db.execute(
    `update tokenizations set next_check_at = now() - interval '2 days' where id = '${id}'`,
  );
  const [claimed] = (await unscopedClaimDue(50)).filter((row) => row.id === id);
  expect((await unscopedClaimDue(50)).map((row) => row.id)).not.toContain(id);
  await db.execute(`update tokenizations set leased_until = now() where id = '${id}'`);
  expect((await unscopedClaimDue(50)).map((row) => row.id)).toContain(id);
  const before = await rowOf(id);
  await settleActivation(
    tenant.ctx.test,
    id,
    1,
    { kind: "cancelled", gatewayId: "g" },
    claimed?.fence,
  );
  expect(await rowOf(id)).toEqual(before);
});

test("two workers never claim the same attempt", async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await openPage()).id));
  await db.execute(
    `update tokenizations set next_check_at = now() - interval '3 days' where id in (${ids.map((id) => `'${id}'`)})`,
  );
  const claims = (await Promise.all(Array.from({ length: 4 }, () => unscopedClaimDue(50))))
    .flat()
    .map((row) => row.id);
  expect(ids.filter((id) => claims.filter((one) => one === id).length !== 1)).toEqual([]);
});

test("no gateway is asked with a transaction open", async () => {
  const { id } = await openPage();
  const row = await rowOf(id);
  const answer = await withTransaction(async (tx) => {
    await lockTokenization(tenant.ctx.test, tx, id);
    return lookUp(tenant.ctx.test, row).then(
      () => "asked",
      (error: Error) => error.message,
    );
  });
  expect(answer).toContain("inside a transaction");
});
