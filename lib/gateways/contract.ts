import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness, SentCallback } from "./contract-harness";
import type { BeginPayment, Connection, FindAnswer, SaveMethod } from "./gateway";
import { refundContract } from "./refund-contract";

const inHalfAnHour = () => new Date(Date.now() + 1_800_000).toISOString();
const addresses = {
  returnUrl: "https://shop.example/back",
  cancelUrl: "https://shop.example/cancelled",
};

function payment(change: Partial<BeginPayment> = {}): BeginPayment {
  const id = newId();
  return {
    key: `key-${id}`,
    reference: id,
    title: "Annual dinner",
    amount: 12_345,
    currency: "MYR",
    expiresAt: inHalfAnHour(),
    ...addresses,
    ...change,
  };
}

function saving(): SaveMethod {
  const id = newId();
  return {
    key: `key-${id}`,
    reference: id,
    title: "Save a card",
    expiresAt: inHalfAnHour(),
    ...addresses,
  };
}

function charging(methodId: string, amount = 5_000) {
  const id = newId();
  return { key: `key-${id}`, reference: id, title: "October", amount, currency: "MYR", methodId };
}

/** The promises every adapter keeps; run it with a harness against the real adapter. */
export function gatewayContract(name: string, harness: GatewayHarness): void {
  const { gateway } = harness;
  let connection: Connection;

  beforeEach(async () => {
    connection = await harness.connect();
  });

  async function begin(request: BeginPayment): Promise<string> {
    const answer = await gateway.beginPayment(connection, request);
    if (answer.kind !== "redirect") throw new Error(`no page was opened: ${answer.kind}`);
    return answer.url;
  }

  async function paid(request = payment()): Promise<BeginPayment> {
    if (harness.scripted) await harness.press(await begin(request), "approve");
    else {
      const { key, reference, title, amount, currency } = request;
      const answer = await gateway.charge(connection, {
        key,
        reference,
        title,
        amount,
        currency,
        methodId: await harness.saveMethod(connection, "works"),
      });
      expect(answer.kind).toBe("succeeded");
    }
    return request;
  }

  /** Looks as often as a reconciler would before it gives up for now. */
  async function findUntilKnown(
    reference: string,
  ): Promise<{ found: FindAnswer; unknowns: number }> {
    for (let unknowns = 0; unknowns < 10; unknowns++) {
      const found = await gateway.find(connection, reference);
      if (found.kind !== "unknown") return { found, unknowns };
    }
    throw new Error("the gateway never told what became of the attempt");
  }

  describe(`${name}: hosted payments`, () => {
    test("an attempt begun is open, at an address the payer can be sent to", async () => {
      const request = payment();
      const answer = await gateway.beginPayment(connection, request);
      expect(answer).toMatchObject({
        kind: "redirect",
        url: expect.stringMatching(/^https?:\/\//),
      });
      if (answer.kind !== "redirect") return;
      expect(gateway.origins).toContain(new URL(answer.url).origin);
      expect(await gateway.find(connection, request.reference)).toMatchObject({
        kind: "open",
        gatewayId: answer.gatewayId,
        url: answer.url,
      });
    });

    test.runIf(harness.scripted)(
      "approved: the amount and currency taken are told, and what the gateway keeps",
      async () => {
        const { reference } = await paid(payment({ amount: 12_345, currency: "MYR" }));
        const found = await gateway.find(connection, reference);
        expect(found).toMatchObject({
          kind: "succeeded",
          amount: 12_345,
          currency: "MYR",
          fee: expect.any(Number),
        });
        expect(await harness.books(connection, reference)).toEqual({
          taken: [12_345],
          givenBack: [],
        });
      },
    );

    test
      .runIf(harness.scripted && harness.afterDecline === "open")
      .each(["decline", "decline_hard"] as const)(
      "%s: nothing taken, and the payer may try again on the page",
      async (outcome) => {
        const request = payment();
        const url = await begin(request);
        await harness.press(url, outcome);
        expect(await gateway.find(connection, request.reference)).toMatchObject({
          kind: "open",
          url,
        });
        expect((await harness.books(connection, request.reference)).taken).toEqual([]);
        await harness.press(url, "approve");
        expect(await gateway.find(connection, request.reference)).toMatchObject({
          kind: "succeeded",
          amount: request.amount,
        });
      },
    );

    test.runIf(harness.scripted && harness.afterDecline === "failed").each([
      ["decline", "soft"],
      ["decline_hard", "hard"],
    ] as const)("%s: failed, %s, with a reason, and nothing taken", async (outcome, decline) => {
      const request = payment();
      await harness.press(await begin(request), outcome);
      const found = await gateway.find(connection, request.reference);
      expect(found).toMatchObject({
        kind: "failed",
        gatewayId: expect.stringMatching(/\S/),
        decline,
        reason: expect.stringMatching(/\S/),
      });
      expect((await harness.books(connection, request.reference)).taken).toEqual([]);
    });

    test.runIf(harness.scripted)("pending: nothing is claimed until it is settled", async () => {
      const request = payment();
      await harness.press(await begin(request), "approve_later");
      expect((await gateway.find(connection, request.reference)).kind).toBe("pending");
      expect((await harness.books(connection, request.reference)).taken).toEqual([]);
      await harness.settle(connection);
      expect(await gateway.find(connection, request.reference)).toMatchObject({
        kind: "succeeded",
        amount: request.amount,
      });
    });

    test.runIf(harness.scripted)(
      "a lost answer is unknown first, never failed, and then found",
      async () => {
        const request = payment();
        await harness.press(await begin(request), "lose_answer");
        const { found, unknowns } = await findUntilKnown(request.reference);
        expect(unknowns).toBeGreaterThan(0);
        expect(found).toMatchObject({
          kind: "succeeded",
          amount: request.amount,
          currency: request.currency,
        });
      },
    );

    test.runIf(harness.scripted)(
      "a page whose opening was not answered is found, and opened again under its key",
      async () => {
        const request = payment();
        await harness.loseAnswer(connection, "begin");
        expect((await gateway.beginPayment(connection, request)).kind).toBe("unknown");
        const found = await gateway.find(connection, request.reference);
        expect(found.kind).toBe("open");
        expect(await begin(request)).toBe(found.kind === "open" ? found.url : undefined);
      },
    );

    test("the same key gives the same page", async () => {
      const request = payment();
      const answers = await Promise.all(
        [1, 2, 3].map(() => gateway.beginPayment(connection, request)),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.kind).toBe("redirect");
    });

    test("the same key with other parameters opens nothing", async () => {
      const request = payment();
      await begin(request);
      expect(
        (await gateway.beginPayment(connection, { ...request, amount: request.amount + 1 })).kind,
      ).toBe("refused");
    });

    test("an attempt nobody began is nothing", async () => {
      expect(await gateway.find(connection, newId())).toEqual({ kind: "nothing" });
    });

    test.runIf(harness.scripted)("another connection sees nothing of it", async () => {
      const { reference } = await paid();
      expect(await gateway.find(await harness.connect(), reference)).toEqual({ kind: "nothing" });
    });
  });

  describe(`${name}: cancelling`, () => {
    test("an open attempt is cancelled, twice alike, and takes no money after it", async () => {
      const request = payment();
      const url = await begin(request);
      expect(await gateway.cancel(connection, request.reference)).toEqual({ kind: "cancelled" });
      expect(await gateway.cancel(connection, request.reference)).toEqual({ kind: "cancelled" });
      if (harness.scripted) await harness.press(url, "approve");
      expect((await gateway.find(connection, request.reference)).kind).toBe("cancelled");
      expect((await harness.books(connection, request.reference)).taken).toEqual([]);
    });

    test.runIf(harness.scripted).each(["approve", "approve_later"] as const)(
      "after %s it is too late, and the attempt goes on",
      async (outcome) => {
        const request = payment();
        await harness.press(await begin(request), outcome);
        expect(await gateway.cancel(connection, request.reference)).toEqual({ kind: "too_late" });
        await harness.settle(connection);
        expect((await gateway.find(connection, request.reference)).kind).toBe("succeeded");
      },
    );
  });

  describe(`${name}: saved methods`, () => {
    test.runIf(harness.scripted)("a method saved by the payer can be charged", async () => {
      const request = saving();
      const answer = await gateway.saveMethod(connection, request);
      if (answer.kind !== "redirect") throw new Error(`no page was opened: ${answer.kind}`);
      await harness.press(answer.url, "approve");
      const found = await gateway.find(connection, request.reference);
      if (found.kind !== "saved") throw new Error(`nothing was saved: ${found.kind}`);
      expect(found.method.card).toEqual({
        brand: expect.stringMatching(/\S/),
        last4: expect.stringMatching(/^\d{4}$/),
        exp: expect.stringMatching(/^\d\d\/\d{4}$/),
      });
      expect(await gateway.charge(connection, charging(found.method.id, 700))).toMatchObject({
        kind: "succeeded",
        amount: 700,
        currency: "MYR",
      });
    });

    test.runIf(harness.scripted)("a payer who is declined saves nothing", async () => {
      const request = saving();
      const answer = await gateway.saveMethod(connection, request);
      if (answer.kind === "redirect") await harness.press(answer.url, "decline");
      expect((await gateway.find(connection, request.reference)).kind).toBe(harness.afterDecline);
    });

    test.each(
      (["soft", "hard", "needs_payer"] as const).filter((decline) =>
        harness.behaviours.includes(decline),
      ),
    )("a charge declined %s says so and takes nothing", async (decline) => {
      const charge = charging(await harness.saveMethod(connection, decline));
      expect(await gateway.charge(connection, charge)).toMatchObject({
        kind: "failed",
        gatewayId: expect.stringMatching(/\S/),
        decline,
        reason: expect.stringMatching(/\S/),
      });
      expect(await gateway.find(connection, charge.reference)).toMatchObject({
        kind: "failed",
        decline,
      });
      expect((await harness.books(connection, charge.reference)).taken).toEqual([]);
    });

    test("a method nobody saved is refused for good", async () => {
      expect(await gateway.charge(connection, charging(newId()))).toMatchObject({
        kind: "failed",
        decline: "hard",
      });
    });

    test.runIf(harness.scripted)("a pending charge is settled later", async () => {
      const charge = charging(await harness.saveMethod(connection, "pending"));
      expect((await gateway.charge(connection, charge)).kind).toBe("pending");
      await harness.settle(connection);
      expect(await gateway.find(connection, charge.reference)).toMatchObject({
        kind: "succeeded",
        amount: charge.amount,
      });
    });

    test("the same key, one after another or at once, charges once and answers alike", async () => {
      const charge = charging(await harness.saveMethod(connection, "works"));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => gateway.charge(connection, charge)),
      );
      answers.push(await gateway.charge(connection, charge));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.kind).toBe("succeeded");
      expect((await harness.books(connection, charge.reference)).taken).toEqual([charge.amount]);
    });

    test("the same key with other parameters charges nothing, and says nothing of the first attempt", async () => {
      const charge = charging(await harness.saveMethod(connection, "works"));
      await gateway.charge(connection, charge);
      expect(
        (await gateway.charge(connection, { ...charge, amount: charge.amount + 1 })).kind,
      ).toBe("unknown");
      expect((await harness.books(connection, charge.reference)).taken).toEqual([charge.amount]);
    });

    test.runIf(harness.scripted)(
      "a charge whose answer was lost is unknown, found, and not made again under its key",
      async () => {
        const charge = charging(await harness.saveMethod(connection, "works"));
        await harness.loseAnswer(connection, "charge");
        expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
        expect((await findUntilKnown(charge.reference)).found).toMatchObject({
          kind: "succeeded",
          amount: charge.amount,
        });
        expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
        expect((await harness.books(connection, charge.reference)).taken).toEqual([charge.amount]);
      },
    );
  });

  refundContract(name, harness, { connection: () => connection, payment, begin, paid });

  test("what was kept of an attempt finds the same as its reference alone", async () => {
    const request = payment();
    const since = new Date(Date.now() - 1_000).toISOString();
    const begun = await gateway.beginPayment(connection, request);
    if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
    const found = await gateway.find(connection, request.reference, {
      gatewayId: begun.gatewayId,
      since,
    });
    expect(found).toEqual(await gateway.find(connection, request.reference));
    expect(await gateway.find(connection, request.reference, { gatewayId: null, since })).toEqual(
      found,
    );
    expect(
      await gateway.find(connection, request.reference, {
        gatewayId: null,
        since,
        told: begun.gatewayId,
      }),
    ).toEqual(found);
    const other = await gateway.beginPayment(connection, payment());
    for (const told of ["", "nobody", other.kind === "redirect" ? other.gatewayId : ""]) {
      expect(
        await gateway.find(connection, request.reference, {
          gatewayId: begun.gatewayId,
          since,
          told,
        }),
      ).toEqual(found);
    }
    expect(
      await gateway.cancel(connection, request.reference, { gatewayId: begun.gatewayId, since }),
    ).toEqual({ kind: "cancelled" });
  });

  describe.runIf(harness.outside)(`${name}: what others do at the gateway`, () => {
    test("nothing, of what was merely taken", async () => {
      const { reference } = await paid();
      expect(await gateway.aftermath(connection, reference)).toEqual({
        kind: "told",
        refunds: [],
        dispute: null,
        movements: [],
      });
    });

    test("refunds are told, ours by their key and others without", async () => {
      const request = await paid(payment({ amount: 1_000 }));
      const key = `refund-${newId()}`;
      await gateway.refund(connection, {
        key,
        reference: request.reference,
        amount: 300,
        currency: request.currency,
      });
      await harness.outside?.refund(connection, request.reference, 200);
      const told = await gateway.aftermath(connection, request.reference);
      const refunds =
        told.kind === "told"
          ? told.refunds.map((one) => ({ key: one.key, amount: one.amount, status: one.status }))
          : [];
      expect(refunds.sort((a, b) => a.amount - b.amount)).toEqual([
        { key: null, amount: 200, status: "succeeded" },
        { key, amount: 300, status: "succeeded" },
      ]);
    });

    test.each(["open", "won", "lost"] as const)("a dispute that is %s is told", async (outcome) => {
      const { reference, amount, currency } = await paid();
      await harness.outside?.dispute(connection, reference, outcome);
      const told = await gateway.aftermath(connection, reference);
      expect(told).toMatchObject({
        kind: "told",
        dispute: { status: outcome, reason: expect.stringMatching(/\S/) },
      });
      const moved = told.kind === "told" ? told.movements.map(({ money }) => money) : [];
      expect(moved).toEqual([
        { amount, currency },
        ...(outcome === "won" ? [{ amount: -amount, currency }] : []),
      ]);
    });
  });

  describe.runIf(harness.scripted)(`${name}: callbacks`, () => {
    async function sentFor(request: BeginPayment): Promise<SentCallback> {
      await paid(request);
      const sent = (await harness.callbacks(connection)).at(-1);
      if (!sent) throw new Error("no callback was sent");
      return sent;
    }

    test("one that was sent is believed, and names the attempt", async () => {
      const request = payment();
      const { raw, headers } = await sentFor(request);
      const callback = await gateway.verifyCallback(connection, raw, headers);
      expect(callback).toMatchObject({
        reference: request.reference,
        eventId: expect.stringMatching(/\S/),
        type: expect.stringMatching(/\S/),
      });
    });

    test("forged ones are not: altered bytes, altered or missing signatures, another connection's secret", async () => {
      const { raw, headers } = await sentFor(payment());
      const altered = Uint8Array.from(raw);
      altered[altered.length - 3] = (altered[altered.length - 3] ?? 0) ^ 1;
      expect(await gateway.verifyCallback(connection, altered, headers)).toBeNull();
      expect(await gateway.verifyCallback(connection, raw, new Headers())).toBeNull();
      const cut = new Headers(
        [...headers].map(([key, value]): [string, string] => [key, value.slice(0, -1)]),
      );
      expect(await gateway.verifyCallback(connection, raw, cut)).toBeNull();
      expect(await gateway.verifyCallback(await harness.connect(), raw, headers)).toBeNull();
    });

    test("stale ones and ones from the future are not", async () => {
      const { raw } = await sentFor(payment());
      const minutes = (count: number) =>
        harness.signedAt(connection, raw, Date.now() + count * 60_000);
      expect(await gateway.verifyCallback(connection, raw, minutes(-1))).not.toBeNull();
      expect(await gateway.verifyCallback(connection, raw, minutes(-6))).toBeNull();
      expect(await gateway.verifyCallback(connection, raw, minutes(6))).toBeNull();
    });

    test("signed bytes that are no callback are not", async () => {
      for (const text of ["", "null", "[]", "{}", '{"id":1}', "\u0000"]) {
        const raw = new TextEncoder().encode(text);
        expect(
          await gateway.verifyCallback(
            connection,
            raw,
            harness.signedAt(connection, raw, Date.now()),
          ),
        ).toBeNull();
      }
    });

    test("a replayed or repeated one carries the id it had, by which it is dropped", async () => {
      const { raw, headers } = await sentFor(payment());
      const first = await gateway.verifyCallback(connection, raw, headers);
      expect(await gateway.verifyCallback(connection, raw, headers)).toEqual(first);
      expect(
        await gateway.verifyCallback(
          connection,
          raw,
          harness.signedAt(connection, raw, Date.now()),
        ),
      ).toEqual(first);
    });

    test("out of order they still lead to the truth, since each only says where to look", async () => {
      const request = payment();
      await harness.press(await begin(request), "approve_later");
      await harness.settle(connection);
      const sent = await harness.callbacks(connection);
      expect(sent.length).toBeGreaterThan(1);
      const seen = await Promise.all(
        sent.reverse().map(({ raw, headers }) => gateway.verifyCallback(connection, raw, headers)),
      );
      expect(new Set(seen.map((callback) => callback?.eventId)).size).toBe(sent.length);
      for (const callback of seen) {
        expect(callback?.reference).toBe(request.reference);
        expect((await gateway.find(connection, callback?.reference ?? "")).kind).toBe("succeeded");
      }
    });
  });
}
