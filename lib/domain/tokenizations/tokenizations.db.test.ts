import { afterAll, describe, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { digest, unseal } from "@/lib/kernel/secrets";
import { api, newTenant } from "@/tests/contract/setting";
import { eventsAbout } from "../events/rows";
import { begin } from "@/lib/flows/activation/steps";
import { create } from "./create";
import { expireToken } from "@/lib/flows/expiry/steps";
import { get } from "./get";
import { list } from "./list";
import { activationLookUps } from "@/lib/flows/activation/job";
import { revoke } from "./revoke";
import { expiringTokenizations } from "./rows";
import {
  age,
  input,
  look,
  make,
  openPage,
  pressOn,
  rowOf,
  statusOf,
  tenant,
  threeDays,
  typesOf,
} from "@/tests/domain/tokenization-setting";
import { claimOf, runOnce } from "@/tests/run-once";

afterAll(closePool);

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

  test("is found by its secret and by its id, in its own business and mode only", async () => {
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
    expect(await statusOf(revoke(tenant.ctx.test, _id))).toBe(404);
    expect(await get(tenant.ctx.test, _id)).toEqual(revoked);
    expect(
      (await list(tenant.ctx.test, { q: _id, status: "revoked" }, new URLSearchParams())).data,
    ).toEqual([revoked]);
    expect(await typesOf(_id)).toEqual(["tokenization.created", "tokenization.revoked"]);
    expect(await begin(token, "test")).toEqual({ kind: "show" });
  });

  test("expires after 72 hours, once, and cannot be used or revoked then", async () => {
    const { _id, token } = await make();
    const expired = (id: string) => withTransaction((tx) => expireToken(tenant.ctx.test, tx, id));
    expect(await expired(_id)).toBe(false);
    await age(_id, threeDays);
    expect(await begin(token, "test")).toEqual({ kind: "show" });
    expect((await claimOf(expiringTokenizations, tenant.businessId)).map(({ id }) => id)).toContain(
      _id,
    );
    const done = await Promise.all([1, 2, 3].map(() => expired(_id)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await statusOf(revoke(tenant.ctx.test, _id))).toBe(409);
    expect(await typesOf(_id)).toEqual(["tokenization.created", "tokenization.expired"]);
  });
});

describe("a token revoked while its payer is at the gateway", () => {
  test("is not activated by what they do there", async () => {
    const { id, token, url } = await openPage();
    await pressOn(url, "approve");
    await revoke(tenant.ctx.test, token);
    // What they saved is noted for an erasure, which has the gateway forget it.
    expect(await look(id)).toMatchObject({
      status: "revoked",
      methodId: expect.any(String),
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
    await runOnce(activationLookUps, tenant.businessId);
    expect((await pressOn(url, "approve"))?.state).toBe("cancelled");
    expect(await rowOf(id)).toMatchObject({ attemptAt: null, nextCheckAt: null });
  });

  test("ends revoked whichever comes first, with one event for each change", async () => {
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
