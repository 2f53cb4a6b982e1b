import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness } from "./contract-harness";
import { type ContractSetting, payment } from "./contract-requests";

/** Refunds and disputes that others make at the gateway, where a harness can make them. */
export function returnsContract(
  name: string,
  harness: GatewayHarness,
  { connection, paid }: ContractSetting,
): void {
  const { gateway } = harness;

  describe.runIf(harness.outside)(`${name}: what others do at the gateway`, () => {
    test("nothing, of what was merely taken", async () => {
      const { reference } = await paid();
      expect(await gateway.refundsAndDisputes(connection(), reference)).toEqual({
        kind: "found",
        refunds: [],
        dispute: null,
        movements: [],
      });
    });

    test("refunds are listed: those made here with their key, others without", async () => {
      const request = await paid(payment({ amount: 1_000 }));
      const key = `refund-${newId()}`;
      await gateway.refund(connection(), {
        key,
        reference: request.reference,
        amount: 300,
        currency: request.currency,
      });
      await harness.outside?.refund(connection(), request.reference, 200);
      const answer = await gateway.refundsAndDisputes(connection(), request.reference);
      const refunds =
        answer.kind === "found"
          ? answer.refunds.map((one) => ({ key: one.key, amount: one.amount, status: one.status }))
          : [];
      expect(refunds.sort((a, b) => a.amount - b.amount)).toEqual([
        { key: null, amount: 200, status: "succeeded" },
        { key, amount: 300, status: "succeeded" },
      ]);
    });

    test.each(["open", "won", "lost"] as const)(
      "a dispute that is %s is listed",
      async (outcome) => {
        const { reference, amount, currency } = await paid();
        await harness.outside?.dispute(connection(), reference, outcome);
        const answer = await gateway.refundsAndDisputes(connection(), reference);
        expect(answer).toMatchObject({
          kind: "found",
          dispute: { status: outcome, reason: expect.stringMatching(/\S/) },
        });
        const moved = answer.kind === "found" ? answer.movements.map(({ money }) => money) : [];
        expect(moved).toEqual([
          { amount, currency },
          ...(outcome === "won" ? [{ amount: -amount, currency }] : []),
        ]);
      },
    );
  });
}
