import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { returnsContract } from "./returns-contract";
import { callbackContract } from "./callback-contract";
import type { GatewayHarness } from "./contract-harness";
import { payment } from "./contract-requests";
import type { BeginPayment, Connection, FindAnswer, Hint } from "./gateway";
import { listContract } from "./list-contract";
import { chargeRefusal } from "./minimums";
import { refundContract } from "./refund-contract";
import { savedMethodContract } from "./saved-method-contract";

/** The promises every adapter keeps; run it with a harness against the real adapter. */
export function gatewayContract(name: string, harness: GatewayHarness): void {
  const { gateway, lacks = [] } = harness;
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
      const { key, reference, payer, title, amount, currency } = request;
      const answer = await gateway.charge(connection, {
        key,
        reference,
        payer,
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
    hint?: Hint,
  ): Promise<{ found: FindAnswer; unknowns: number }> {
    for (let unknowns = 0; unknowns < 10; unknowns++) {
      const found = await gateway.find(connection, reference, hint);
      if (found.kind !== "unknown") return { found, unknowns };
    }
    throw new Error("the gateway never said what became of the attempt");
  }

  test("a connection may be looked at, within a limit that is declared", () => {
    expect(gateway.lookUpsPerMinute).toBeGreaterThan(0);
  });

  test("each minimum that is declared can be charged, and less is refused in a sentence", () => {
    for (const [currency, amount] of Object.entries(gateway.minimums)) {
      expect(chargeRefusal(gateway, { amount, currency })).toBeNull();
      expect(chargeRefusal(gateway, { amount: amount - 1, currency })).toMatch(/^The amount must/);
    }
  });

  describe(`${name}: keys`, () => {
    test.runIf(!gateway.builtIn)("a key that the gateway accepts names its account", async () => {
      expect(gateway.validateKey(connection.secret, connection.mode)).toBeNull();
      expect(await gateway.checkKey(connection)).toMatchObject({
        kind: "accepted",
        account: expect.stringMatching(/\S/),
        name: expect.toSatisfy((value) => value === null || /\S/.test(String(value))),
      });
    });

    test("a key that the gateway does not know is refused with a reason", async () => {
      const secret = connection.secret.replace(/.{8}$/, "0revoked");
      expect(await gateway.checkKey({ ...connection, id: newId(), secret })).toEqual({
        kind: "refused",
        reason: expect.stringMatching(/\S/),
      });
    });

    const namesMode = !gateway.builtIn && !lacks.includes("modes_in_keys");
    test.runIf(namesMode)("a key of the other mode is refused unseen", () => {
      const other = connection.mode === "test" ? "live" : "test";
      expect(gateway.validateKey(connection.secret, other)).toMatch(/\S/);
    });
  });

  describe(`${name}: hosted payments`, () => {
    test("a new attempt is open, at an address the payer can be sent to", async () => {
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
      "approved: the answer names the amount and currency taken, the fee, and how the payer paid",
      async () => {
        const { reference } = await paid(payment({ amount: 12_345, currency: "MYR" }));
        const found = await gateway.find(connection, reference);
        expect(found).toMatchObject({
          kind: "succeeded",
          amount: 12_345,
          currency: "MYR",
          fee: expect.any(Number),
          paidWith: harness.paidWith ?? "card",
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
          declined: expect.stringMatching(/\S/),
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

    const hasPageKeys = !lacks.includes("page_keys");
    test.runIf(harness.scripted && hasPageKeys)(
      "a page is found when the answer to its opening was lost, and its key opens it again",
      async () => {
        const request = payment();
        await harness.loseAnswer(connection, "begin");
        expect((await gateway.beginPayment(connection, request)).kind).toBe("unknown");
        const found = await gateway.find(connection, request.reference);
        expect(found.kind).toBe("open");
        expect(await begin(request)).toBe(found.kind === "open" ? found.url : undefined);
      },
    );

    test.runIf(hasPageKeys)("a key that comes with another payer gives the same page", async () => {
      const request = payment();
      const url = await begin(request);
      const other = { email: "other@example.com", name: null, phone: null };
      expect(await begin({ ...request, payer: other })).toBe(url);
    });

    test.runIf(!hasPageKeys)(
      "a page without an answer is not found, and its key opens another",
      async () => {
        const request = payment();
        await harness.loseAnswer(connection, "begin");
        expect((await gateway.beginPayment(connection, request)).kind).toBe("unknown");
        expect(await gateway.find(connection, request.reference)).toEqual({ kind: "nothing" });
        const url = await begin(request);
        expect(await gateway.find(connection, request.reference)).toMatchObject({
          kind: "open",
          url,
        });
      },
    );

    test.runIf(hasPageKeys)("the same key gives the same page", async () => {
      const request = payment();
      const answers = await Promise.all(
        [1, 2, 3].map(() => gateway.beginPayment(connection, request)),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.kind).toBe("redirect");
    });

    test.runIf(hasPageKeys)("the same key with other parameters opens nothing", async () => {
      const request = payment();
      await begin(request);
      expect(
        (await gateway.beginPayment(connection, { ...request, amount: request.amount + 1 })).kind,
      ).toBe("refused");
    });

    test("an attempt that was never started is nothing", async () => {
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

  const setting = { connection: () => connection, begin, paid, findUntilKnown };
  savedMethodContract(name, harness, setting);
  refundContract(name, harness, setting);

  const hasList = !lacks.includes("list");
  test.runIf(hasList)(
    "what was kept of an attempt finds the same as its reference alone",
    async () => {
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
          fromCallback: begun.gatewayId,
        }),
      ).toEqual(found);
      const other = await gateway.beginPayment(connection, payment());
      for (const fromCallback of ["", "nobody", other.kind === "redirect" ? other.gatewayId : ""]) {
        expect(
          await gateway.find(connection, request.reference, {
            gatewayId: begun.gatewayId,
            since,
            fromCallback,
          }),
        ).toEqual(found);
      }
      expect(
        await gateway.cancel(connection, request.reference, { gatewayId: begun.gatewayId, since }),
      ).toEqual({ kind: "cancelled" });
    },
  );

  listContract(name, harness, setting);
  returnsContract(name, harness, setting);
  callbackContract(name, harness, setting);
}
