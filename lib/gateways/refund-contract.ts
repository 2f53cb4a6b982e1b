import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness } from "./contract-harness";
import { type ContractSetting, payment } from "./contract-requests";
import type { BeginPayment } from "./gateway";

/** What every adapter promises of money that goes back. */
export function refundContract(
  name: string,
  harness: GatewayHarness,
  { connection, begin, paid }: ContractSetting,
): void {
  const { gateway } = harness;

  test.runIf(!harness.refunds)(
    "a payment that it cannot refund is declared, with what staff do instead",
    async () => {
      const { reference } = await paid();
      expect(await gateway.refundSupport(connection(), { reference })).toEqual({
        kind: "unsupported",
        reason: expect.stringMatching(/record the refund here\.$/),
      });
    },
  );

  describe.runIf(harness.refunds)(`${name}: refunds`, () => {
    const refunding = (of: BeginPayment, amount: number) => ({
      key: `refund-${newId()}`,
      reference: of.reference,
      amount,
      currency: of.currency,
    });

    test("the whole amount is given back, once for its key", async () => {
      const request = await paid();
      expect(await gateway.refundSupport(connection(), request)).toEqual({ kind: "supported" });
      const refund = refunding(request, request.amount);
      const first = await gateway.refund(connection(), refund);
      expect(first.kind).toBe("succeeded");
      expect(await gateway.refund(connection(), refund)).toEqual(first);
      expect((await harness.books(connection(), request.reference)).givenBack).toEqual([
        request.amount,
      ]);
      expect(await gateway.find(connection(), request.reference)).toMatchObject({
        kind: "succeeded",
        amount: request.amount,
      });
    });

    test("a key that comes with another address of the payer gives back once", async () => {
      const request = await paid();
      const refund = refunding(request, 500);
      const first = await gateway.refund(connection(), { ...refund, payerEmail: "a@example.com" });
      expect(first.kind).toBe("succeeded");
      expect(
        await gateway.refund(connection(), { ...refund, payerEmail: "b@example.com" }),
      ).toEqual(first);
      expect((await harness.books(connection(), request.reference)).givenBack).toEqual([500]);
    });

    test("parts are given back until nothing is left", async () => {
      const request = await paid(payment({ amount: 1_000 }));
      expect((await gateway.refund(connection(), refunding(request, 400))).kind).toBe("succeeded");
      expect((await gateway.refund(connection(), refunding(request, 601))).kind).toBe("failed");
      expect((await gateway.refund(connection(), refunding(request, 600))).kind).toBe("succeeded");
      expect((await gateway.refund(connection(), refunding(request, 1))).kind).toBe("failed");
      expect((await harness.books(connection(), request.reference)).givenBack).toEqual([400, 600]);
    });

    test("refunds sent at once never exceed what was taken", async () => {
      const request = await paid(payment({ amount: 1_000 }));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => gateway.refund(connection(), refunding(request, 300))),
      );
      const { givenBack } = await harness.books(connection(), request.reference);
      expect(givenBack.length).toBeLessThanOrEqual(3);
      expect(new Set(givenBack)).toEqual(new Set([300]));
      // Where a key makes no refund, Kutip sends one of a payment at a time.
      if (!gateway.refundIsIdempotent) return;
      expect(answers.filter((answer) => answer.kind === "succeeded")).toHaveLength(3);
      expect(givenBack).toEqual([300, 300, 300]);
    });

    test("another currency, an attempt not paid and none at all are refused", async () => {
      const request = await paid();
      expect(
        (await gateway.refund(connection(), { ...refunding(request, 100), currency: "SGD" })).kind,
      ).toBe("failed");
      const open = payment();
      await begin(open);
      expect((await gateway.refund(connection(), refunding(open, 100))).kind).toBe("failed");
      expect((await gateway.refund(connection(), refunding(payment(), 100))).kind).toBe("failed");
    });

    test("the same key with another amount gives nothing more back", async () => {
      const request = await paid();
      const refund = refunding(request, 100);
      await gateway.refund(connection(), refund);
      expect((await gateway.refund(connection(), { ...refund, amount: 200 })).kind).toBe(
        gateway.refundIsIdempotent ? "unknown" : "failed",
      );
      expect((await harness.books(connection(), request.reference)).givenBack).toEqual([100]);
    });

    test("what was given back is echoed, and found under its key", async () => {
      const request = await paid();
      const refund = refunding(request, 100);
      expect(await gateway.findRefund(connection(), refund)).toEqual({ kind: "nothing" });
      const answer = await gateway.refund(connection(), refund);
      expect(answer).toMatchObject({ kind: "succeeded", amount: 100, currency: request.currency });
      expect(await gateway.findRefund(connection(), refund)).toEqual(answer);
      expect(await gateway.findRefund(connection(), { ...refund, key: newId() })).toEqual({
        kind: "nothing",
      });
      expect(await gateway.findRefund(await harness.connect(), refund)).toEqual({
        kind: "nothing",
      });
    });

    test.runIf(gateway.refundIsIdempotent)(
      "one sent many times at once under its key is given back once",
      async () => {
        const request = await paid();
        const refund = refunding(request, 100);
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => gateway.refund(connection(), refund)),
        );
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
        expect((await harness.books(connection(), request.reference)).givenBack).toEqual([100]);
      },
    );

    test.runIf(harness.scripted)(
      "a refund is unknown when its answer was lost; it is found, and its key does not refund twice",
      async () => {
        const request = await paid();
        const refund = refunding(request, 100);
        await harness.loseAnswer(connection(), "refund");
        expect((await gateway.refund(connection(), refund)).kind).toBe("unknown");
        expect((await gateway.findRefund(connection(), refund)).kind).toBe("succeeded");
        expect((await gateway.refund(connection(), refund)).kind).toBe("succeeded");
        expect((await harness.books(connection(), request.reference)).givenBack).toEqual([100]);
      },
    );

    test.runIf(harness.scripted)(
      "one the bank refuses says why, gives nothing back, and stays refused under a key that makes one refund",
      async () => {
        const request = await paid();
        const refund = refunding(request, request.amount);
        await harness.nextRefund(connection(), "decline");
        expect(await gateway.refund(connection(), refund)).toMatchObject({
          kind: "failed",
          reason: expect.stringMatching(/\S/),
        });
        if (gateway.refundIsIdempotent)
          expect((await gateway.refund(connection(), refund)).kind).toBe("failed");
        expect((await gateway.findRefund(connection(), refund)).kind).toBe(
          gateway.refundIsIdempotent ? "failed" : "nothing",
        );
        expect((await harness.books(connection(), request.reference)).givenBack).toEqual([]);
        expect((await gateway.refund(connection(), refunding(request, request.amount))).kind).toBe(
          "succeeded",
        );
      },
    );

    test.runIf(harness.scripted)(
      "a pending one holds its money and goes through later",
      async () => {
        const request = await paid(payment({ amount: 1_000 }));
        const refund = refunding(request, 700);
        await harness.nextRefund(connection(), "pending");
        expect((await gateway.refund(connection(), refund)).kind).toBe("pending");
        expect((await gateway.refund(connection(), refunding(request, 301))).kind).toBe("failed");
        expect((await harness.books(connection(), request.reference)).givenBack).toEqual([]);
        await harness.settle(connection());
        expect(await gateway.findRefund(connection(), refund)).toMatchObject({
          kind: "succeeded",
          amount: 700,
        });
        expect((await harness.books(connection(), request.reference)).givenBack).toEqual([700]);
      },
    );
  });
}
