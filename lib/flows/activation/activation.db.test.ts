import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { eventsAbout } from "@/lib/domain/events/rows";
import { create } from "@/lib/domain/tokenizations/create";
import { get } from "@/lib/domain/tokenizations/get";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { activationPage } from "@/lib/domain/tokenizations/page";
import {
  expiringTokenizations,
  lockTokenization,
  openActivations,
} from "@/lib/domain/tokenizations/rows";
import { referenceOf, returnProof } from "@/lib/domain/tokenizations/rules";
import { settleActivation } from "@/lib/flows/activation/settle";
import { activationLookUps } from "@/lib/flows/activation/job";
import { expireToken } from "@/lib/flows/expiry/steps";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { script } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { unseal } from "@/lib/kernel/secrets";
import { api } from "@/tests/contract/setting";
import {
  age,
  connectionId,
  input,
  look,
  make,
  openPage,
  pressOn,
  rowOf,
  tenant,
  threeDays,
  typesOf,
} from "@/tests/domain/tokenization-setting";
import { claimOf, runOnce } from "@/tests/run-once";
import { lookUp, reconcileReference } from "./reconcile";
import { returnFrom } from "./return";
import { begin } from "./steps";

afterAll(closePool);

describe("activation", () => {
  test("leads to one page, however often and from however many tabs it is started", async () => {
    const { id, token, url } = await openPage();
    const begun = await Promise.all(Array.from({ length: 16 }, () => begin(token, "test")));
    expect(new Set(begun.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ kind: "redirect", url })]),
    );
    expect((await rowOf(id)).attempt).toBe(1);
  });

  test("started by many requests at once opens one attempt", async () => {
    const { _id, token } = await make();
    const begun = await Promise.all(Array.from({ length: 16 }, () => begin(token, "test")));
    expect(new Set(begun.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await rowOf(_id)).toMatchObject({
      attempt: 1,
      attemptUrl: begun[0]?.kind === "redirect" ? begun[0].url : null,
    });
  });

  test("asks the gateway a few times a minute for a payer who presses and comes back again and again", async () => {
    const { id, token, url } = await openPage();
    const find = vi.spyOn(simulatorGateway, "find");
    onTestFinished(() => find.mockRestore());
    for (let time = 0; time < 30; time++) {
      expect(await begin(token, "test")).toEqual({ kind: "redirect", url });
      await returnFrom(id, "1", returnProof(id, 1), "test");
    }
    expect(find.mock.calls.length).toBeGreaterThan(0);
    // Ten in five minutes, and these may end meanwhile.
    expect(find.mock.calls.length).toBeLessThanOrEqual(20);
    await pressOn(url, "approve");
    expect((await look(id)).status).toBe("active");
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

  test("is not changed by a second saved answer, nor by a late failure", async () => {
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

  test("is found by the reconciler when the payer does not come back", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await db.execute(
      `update tokenizations set next_check_at = now() - interval '1 day' where id = '${id}'`,
    );
    await runOnce(activationLookUps, tenant.businessId);
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

  test("without a definite answer can be started again once its page has ended, and the card that it saved still counts", async () => {
    const { id, token, url } = await openPage();
    await pressOn(url, "approve");
    await age(id, 31);
    await script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
    await look(id);
    expect((await activationPage(token))?.kind).toBe("activate");
    await script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
    const again = await begin(token, "test");
    expect(again).toEqual({ kind: "redirect", url: expect.any(String) });
    expect((await rowOf(id)).attempt).toBe(2);
    await reconcileReference(tenant.ctx.test, await connectionId(), referenceOf(id, 1));
    expect(await rowOf(id)).toMatchObject({ status: "active", attemptAt: null });
    expect((await pressOn((again as { url: string }).url, "approve"))?.state).not.toBe("saved");
    expect(await typesOf(id)).toEqual(["tokenization.created", "tokenization.activated"]);
  });

  test("without a definite answer for a day ends, so that its token can expire, and a card that is reported later still counts", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await age(id, 24 * 60);
    const hang = async () =>
      script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
    await hang();
    expect(await look(id)).toMatchObject({ status: "pending", attemptAt: null, nextCheckAt: null });
    await hang();
    const report = async () =>
      reconcileReference(tenant.ctx.test, await connectionId(), referenceOf(id, 1));
    // Without an answer the callback is tried again.
    await expect(report()).rejects.toThrow();
    expect(await report()).toBe(true);
    expect((await rowOf(id)).status).toBe("active");
  });

  test.each(["revoked", "expired"] as const)(
    "without a definite answer for a day: a card that is reported once its token is %s is noted, and activates nothing",
    async (status) => {
      const { id, url } = await openPage();
      await pressOn(url, "approve");
      if (status === "revoked") await revoke(tenant.ctx.test, id);
      await age(id, threeDays);
      for (const verb of ["cancel", "find"] as const)
        await script(await connectionId(), verb, "error", { reference: referenceOf(id, 1) });
      expect(await look(id)).toMatchObject({ attemptAt: null, methodId: null });
      if (status === "expired") await withTransaction((tx) => expireToken(tenant.ctx.test, tx, id));
      await reconcileReference(tenant.ctx.test, await connectionId(), referenceOf(id, 1));
      expect(await rowOf(id)).toMatchObject({ status, methodId: expect.any(String) });
      expect(await typesOf(id)).toEqual(["tokenization.created", `tokenization.${status}`]);
    },
  );

  test.each([
    [1, "the last"],
    [2, "an earlier"],
  ])(
    "%i: a payer who comes back to %s attempt that has ended here activates the token with the card that it saved",
    async (attempts) => {
      const { id, token, url } = await openPage();
      await pressOn(url, "approve");
      await age(id, 24 * 60);
      await script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
      expect(await look(id)).toMatchObject({ status: "pending", attemptAt: null });
      if (attempts === 2) await begin(token, "test");
      expect((await rowOf(id)).attempt).toBe(attempts);
      await script(await connectionId(), "find", "hang", { reference: referenceOf(id, 1) });
      // Without an answer the payer finds the page, and not an error.
      expect(await returnFrom(id, "1", returnProof(id, 1), "test")).toContain(token);
      expect((await rowOf(id)).status).toBe("pending");
      await returnFrom(id, "1", returnProof(id, 1), "test");
      expect((await rowOf(id)).status).toBe("active");
    },
  );

  test("is started again under the same key when the answer with its page was lost", async () => {
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

  test("that never reached the gateway is sent again, and ends only after its time", async () => {
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

  test("that no payer finished is cancelled at the gateway and released", async () => {
    const { id, url } = await openPage();
    await age(id, 31);
    expect(await look(id)).toMatchObject({ status: "pending", attemptAt: null });
    expect((await pressOn(url, "approve"))?.state).not.toBe("saved");
  });

  test("keeps the token from expiring until its outcome is known", async () => {
    const { id, url } = await openPage();
    await pressOn(url, "approve");
    await age(id, threeDays);
    expect(await withTransaction((tx) => expireToken(tenant.ctx.test, tx, id))).toBe(false);
    expect(
      (await claimOf(expiringTokenizations, tenant.businessId)).map((row) => row.id),
    ).not.toContain(id);
    expect((await look(id)).status).toBe("active");
  });

  test("cannot be started in live mode without a gateway", async () => {
    const { token } = await create(tenant.ctx.live, input);
    expect(await begin(token, "test")).toEqual({ kind: "show" });
    expect(
      (await api("POST", "/tokenizations/create-token", { key: tenant.keys.live, body: input }))
        .body,
    ).toMatchObject({ code: "gateway_not_connected" });
  });
});

test("a worker whose claim was taken over changes nothing", async () => {
  const { id } = await openPage();
  await db.execute(
    `update tokenizations set next_check_at = now() - interval '2 days' where id = '${id}'`,
  );
  const [claimed] = (await claimOf(openActivations, tenant.businessId)).filter(
    (row) => row.id === id,
  );
  expect((await claimOf(openActivations, tenant.businessId)).map((row) => row.id)).not.toContain(
    id,
  );
  await db.execute(`update tokenizations set leased_until = now() where id = '${id}'`);
  expect((await claimOf(openActivations, tenant.businessId)).map((row) => row.id)).toContain(id);
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
  const claims = (
    await Promise.all(Array.from({ length: 4 }, () => claimOf(openActivations, tenant.businessId)))
  )
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
      (error: unknown) => error,
    );
  });
  // The look-up of the account is refused before the gateway is called.
  expect(String((answer as Error).cause)).toContain("inside a transaction");
});
