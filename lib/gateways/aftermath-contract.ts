import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness } from "./contract-harness";
import { type ContractSetting, payment } from "./contract-requests";

/** What every adapter tells of what others do at the gateway, where a harness can do it. */
export function aftermathContract(
  name: string,
  harness: GatewayHarness,
  { connection, paid }: ContractSetting,
): void {
  const { gateway } = harness;

  describe.runIf(harness.outside)(`${name}: what others do at the gateway`, () => {
    test("nothing, of what was merely taken", async () => {
      const { reference } = await paid();
      expect(await gateway.aftermath(connection(), reference)).toEqual({
        kind: "told",
        refunds: [],
        dispute: null,
        movements: [],
      });
    });

    test("refunds are told, ours by their key and others without", async () => {
      const request = await paid(payment({ amount: 1_000 }));
      const key = `refund-${newId()}`;
      await gateway.refund(connection(), {
        key,
        reference: request.reference,
        amount: 300,
        currency: request.currency,
      });
      await harness.outside?.refund(connection(), request.reference, 200);
      const told = await gateway.aftermath(connection(), request.reference);
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
      await harness.outside?.dispute(connection(), reference, outcome);
      const told = await gateway.aftermath(connection(), reference);
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
}
