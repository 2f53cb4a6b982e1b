import { describe, expect, test } from "vitest";
import { declineKinds } from "@/lib/contract/values";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness } from "./contract-harness";
import {
  charging as chargeOf,
  type ContractSetting,
  hintOf,
  prepared,
  saving,
} from "./contract-requests";

/** What every adapter promises of methods that payers save, and of charges to them. */
export function savedMethodContract(
  name: string,
  harness: GatewayHarness,
  { connection, findUntilKnown }: ContractSetting,
): void {
  const { gateway } = harness;
  const charging = (methodId: string, amount?: number) =>
    prepared(gateway, connection(), chargeOf(methodId, amount));

  test.runIf(!gateway.savesMethods)(
    "a gateway that saves no methods opens no page for it and charges none, with a reason",
    async () => {
      const refused = { kind: "refused", reason: expect.stringMatching(/\S/) };
      expect(await gateway.saveMethod(connection(), saving())).toEqual(refused);
      expect(await gateway.charge(connection(), chargeOf(newId()))).toMatchObject({
        kind: "failed",
        gatewayId: "",
        decline: "hard",
      });
    },
  );

  describe.runIf(gateway.savesMethods)(`${name}: saved methods`, () => {
    test.runIf(harness.scripted)("a method saved by the payer can be charged", async () => {
      const request = saving();
      const answer = await gateway.saveMethod(connection(), request);
      if (answer.kind !== "redirect") throw new Error(`no page was opened: ${answer.kind}`);
      await harness.press(answer.url, "approve");
      const found = await gateway.find(connection(), request.reference);
      if (found.kind !== "saved") throw new Error(`nothing was saved: ${found.kind}`);
      expect(found.method.card).toEqual({
        brand: expect.stringMatching(/\S/),
        last4: expect.stringMatching(/^\d{4}$/),
        exp: expect.stringMatching(/^\d\d\/\d{4}$/),
      });
      expect(
        await gateway.charge(connection(), await charging(found.method.id, 700)),
      ).toMatchObject({
        kind: "succeeded",
        amount: 700,
        currency: "MYR",
      });
    });

    test.runIf(harness.changeMethod)(
      "a saved method that changes or is removed is reported, with the attempt that saved it",
      async () => {
        const request = saving();
        const answer = await gateway.saveMethod(connection(), request);
        if (answer.kind === "redirect") await harness.press(answer.url, "approve");
        const saved = await gateway.find(connection(), request.reference);
        if (saved.kind !== "saved") throw new Error(`nothing was saved: ${saved.kind}`);
        const { id, card } = saved.method;
        const reported = async () => {
          const sent = (await harness.callbacks(connection())).at(-1);
          const callback =
            sent && (await gateway.verifyCallback(connection(), sent.raw, sent.headers));
          expect(callback).toMatchObject({ about: "method", reference: "" });
          return gateway.attemptOfMethod?.(connection(), callback?.gatewayId ?? "");
        };
        expect(await gateway.findMethod?.(connection(), id)).toEqual({ kind: "found", card });
        await harness.changeMethod?.(connection(), id, "expiry");
        expect(await reported()).toEqual({ kind: "found", reference: request.reference });
        const changed = await gateway.findMethod?.(connection(), id);
        expect(changed).toMatchObject({ kind: "found", card: { last4: card.last4 } });
        expect(changed).not.toEqual({ kind: "found", card });
        await harness.changeMethod?.(connection(), id, "removal");
        expect(await reported()).toEqual({ kind: "found", reference: request.reference });
        expect(await gateway.findMethod?.(connection(), id)).toEqual({ kind: "gone" });
        expect(await gateway.attemptOfMethod?.(connection(), "pm_elsewhere")).toEqual({
          kind: "nothing",
        });
      },
    );

    test("a gateway that reports changes of methods is tested for it", () => {
      expect(gateway.findMethod === null).toBe(gateway.attemptOfMethod === null);
      if (harness.scripted)
        expect(harness.changeMethod === undefined).toBe(gateway.findMethod === null);
    });

    test.runIf(harness.scripted)("a payer who is declined saves nothing", async () => {
      const request = saving();
      const answer = await gateway.saveMethod(connection(), request);
      if (answer.kind === "redirect") await harness.press(answer.url, "decline");
      expect((await gateway.find(connection(), request.reference)).kind).toBe(harness.afterDecline);
    });

    test.each(declineKinds.filter((decline) => harness.behaviours.includes(decline)))(
      "a charge declined %s says so and takes nothing",
      async (decline) => {
        const charge = await charging(await harness.saveMethod(connection(), decline));
        expect(await gateway.charge(connection(), charge)).toMatchObject({
          kind: "failed",
          gatewayId: expect.stringMatching(/\S/),
          decline,
          reason: expect.stringMatching(/\S/),
        });
        expect(await gateway.find(connection(), charge.reference, hintOf(charge))).toMatchObject({
          kind: "failed",
          decline,
        });
        expect((await harness.books(connection(), charge.reference)).taken).toEqual([]);
      },
    );

    test("a forgotten customer's method is charged no more, and the payments stay", async () => {
      const methodId = await harness.saveMethod(connection(), "works");
      const charge = await charging(methodId);
      expect((await gateway.charge(connection(), charge)).kind).toBe("succeeded");
      expect(await gateway.forgetCustomer(connection(), methodId)).toEqual({ kind: "forgotten" });
      expect(await gateway.forgetCustomer(connection(), methodId)).toEqual({ kind: "forgotten" });
      expect(await gateway.charge(connection(), await charging(methodId))).toMatchObject({
        kind: "failed",
        decline: "hard",
      });
      expect((await gateway.find(connection(), charge.reference, hintOf(charge))).kind).toBe(
        "succeeded",
      );
    });

    test("a method that was never saved is a hard decline", async () => {
      expect(await gateway.charge(connection(), await charging(newId()))).toMatchObject({
        kind: "failed",
        decline: "hard",
      });
    });

    test.runIf(harness.whileRestricted)(
      "a refusal that is about the account is soft: the method may be charged later",
      async () => {
        const charge = chargeOf(await harness.saveMethod(connection(), "works"));
        const ask = gateway.prepare ?? gateway.charge;
        expect(
          await harness.whileRestricted?.(connection(), async () => ask(connection(), charge)),
        ).toMatchObject({
          kind: "failed",
          gatewayId: "",
          decline: "soft",
          reason: expect.stringMatching(/\S/),
        });
        expect((await harness.books(connection(), charge.reference)).taken).toEqual([]);
      },
    );

    test.runIf(harness.scripted)("a pending charge is settled later", async () => {
      const charge = await charging(await harness.saveMethod(connection(), "pending"));
      expect((await gateway.charge(connection(), charge)).kind).toBe("pending");
      await harness.settle(connection());
      expect(await gateway.find(connection(), charge.reference, hintOf(charge))).toMatchObject({
        kind: "succeeded",
        amount: charge.amount,
      });
    });

    test("the same key, one after another or at once, charges once and answers alike", async () => {
      const charge = await charging(await harness.saveMethod(connection(), "works"));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => gateway.charge(connection(), charge)),
      );
      answers.push(await gateway.charge(connection(), charge));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]?.kind).toBe("succeeded");
      expect((await harness.books(connection(), charge.reference)).taken).toEqual([charge.amount]);
    });

    test("the same key with other parameters charges nothing, and says nothing of the first attempt", async () => {
      const charge = await charging(await harness.saveMethod(connection(), "works"));
      await gateway.charge(connection(), charge);
      expect(
        (await gateway.charge(connection(), { ...charge, amount: charge.amount + 1 })).kind,
      ).toBe("unknown");
      expect((await harness.books(connection(), charge.reference)).taken).toEqual([charge.amount]);
    });

    test.runIf(harness.scripted)(
      "a charge is unknown when its answer was lost; it is found, and its key does not charge twice",
      async () => {
        const charge = await charging(await harness.saveMethod(connection(), "works"));
        await harness.loseAnswer(connection(), "charge");
        expect((await gateway.charge(connection(), charge)).kind).toBe("unknown");
        expect((await findUntilKnown(charge.reference, hintOf(charge))).found).toMatchObject({
          kind: "succeeded",
          amount: charge.amount,
        });
        expect((await gateway.charge(connection(), charge)).kind).toBe("succeeded");
        expect((await harness.books(connection(), charge.reference)).taken).toEqual([
          charge.amount,
        ]);
      },
    );

    test.runIf(gateway.prepare)("a prepared charge takes nothing until it is charged", async () => {
      const charge = await charging(await harness.saveMethod(connection(), "works"));
      expect(await gateway.find(connection(), charge.reference, hintOf(charge))).toEqual({
        kind: "prepared",
        gatewayId: charge.gatewayId,
      });
      await harness.settle(connection());
      expect((await harness.books(connection(), charge.reference)).taken).toEqual([]);
      expect((await gateway.charge(connection(), charge)).kind).toBe("succeeded");
      expect((await harness.books(connection(), charge.reference)).taken).toEqual([charge.amount]);
    });

    test.runIf(gateway.prepare)("a prepared charge that is cancelled takes nothing", async () => {
      const charge = await charging(await harness.saveMethod(connection(), "works"));
      const { reference } = charge;
      expect(await gateway.cancel(connection(), reference, hintOf(charge))).toEqual({
        kind: "cancelled",
      });
      expect((await gateway.charge(connection(), charge)).kind).not.toBe("succeeded");
      expect((await gateway.find(connection(), reference, hintOf(charge))).kind).toBe("cancelled");
      expect((await harness.books(connection(), reference)).taken).toEqual([]);
    });

    test.runIf(gateway.prepare)(
      "a charge is not sent without what was prepared for it",
      async () => {
        const charge = chargeOf(await harness.saveMethod(connection(), "works"));
        expect((await gateway.charge(connection(), charge)).kind).toBe("unknown");
        expect((await harness.books(connection(), charge.reference)).taken).toEqual([]);
      },
    );
  });
}
