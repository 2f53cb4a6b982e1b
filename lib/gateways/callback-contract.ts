import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness, SentCallback } from "./contract-harness";
import { type ContractSetting, payment } from "./contract-requests";
import type { BeginPayment } from "./gateway";

/** Which callbacks every adapter believes, and where they lead. */
export function callbackContract(
  name: string,
  harness: GatewayHarness,
  { connection, begin, paid }: ContractSetting,
): void {
  const { gateway } = harness;

  describe.runIf(harness.scripted)(`${name}: callbacks`, () => {
    async function sentFor(request: BeginPayment): Promise<SentCallback> {
      await paid(request);
      const sent = (await harness.callbacks(connection())).at(-1);
      if (!sent) throw new Error("no callback was sent");
      return sent;
    }

    /** By what a callback names the attempt. */
    async function namesOf({ reference }: BeginPayment) {
      if (!harness.lacks?.includes("callback_references")) return { reference };
      const found = await gateway.find(connection(), reference);
      return { reference: "", gatewayId: "gatewayId" in found ? found.gatewayId : "" };
    }

    test("a callback that the gateway sent is accepted, and names the attempt", async () => {
      const request = payment();
      const { raw, headers } = await sentFor(request);
      const callback = await gateway.verifyCallback(connection(), raw, headers);
      expect(callback).toMatchObject({
        ...(await namesOf(request)),
        eventId: expect.stringMatching(/\S/),
        type: expect.stringMatching(/\S/),
        about: "payment",
      });
    });

    test.runIf(harness.refunds)(
      "one that follows a refund says that it is about a refund",
      async () => {
        const request = await paid();
        const { reference, amount, currency } = request;
        const before = (await harness.callbacks(connection())).length;
        await gateway.refund(connection(), { key: newId(), reference, amount, currency });
        const sent = (await harness.callbacks(connection())).slice(before);
        const callbacks = await Promise.all(
          sent.map(({ raw, headers }) => gateway.verifyCallback(connection(), raw, headers)),
        );
        expect(callbacks).toContainEqual(expect.objectContaining({ about: "refund", reference }));
      },
    );

    test.runIf(harness.outside)(
      "one that follows a dispute says that it is about a dispute, and what changed",
      async () => {
        const request = await paid();
        const before = (await harness.callbacks(connection())).length;
        await harness.outside?.dispute(connection(), request.reference, "won");
        const sent = (await harness.callbacks(connection())).slice(before);
        const callbacks = await Promise.all(
          sent.map(({ raw, headers }) => gateway.verifyCallback(connection(), raw, headers)),
        );
        expect(new Set(callbacks.map((callback) => callback?.about))).toEqual(new Set(["dispute"]));
        expect(callbacks.flatMap((callback) => callback?.disputeChange ?? []).sort()).toEqual([
          "closed",
          "reinstated",
          "withdrawn",
        ]);
      },
    );

    test("forged ones are not: altered bytes, altered or missing signatures, another connection's secret", async () => {
      const sent = await sentFor(payment());
      const { raw, headers } = sent;
      const altered = Uint8Array.from(raw);
      altered[altered.length - 3] = (altered[altered.length - 3] ?? 0) ^ 1;
      expect(await gateway.verifyCallback(connection(), altered, headers)).toBeNull();
      for (const change of [() => "", (signature: string) => signature.slice(0, -1)]) {
        const forged = harness.withSignature(sent, change);
        expect(await gateway.verifyCallback(connection(), forged.raw, forged.headers)).toBeNull();
      }
      expect(await gateway.verifyCallback(await harness.connect(), raw, headers)).toBeNull();
    });

    const hasTimes = !harness.lacks?.includes("callback_times");
    test.runIf(hasTimes)("stale ones and ones from the future are not", async () => {
      const { raw } = await sentFor(payment());
      const sentMinutesAgo = (minutes: number) => {
        const sent = harness.signedAt(connection(), raw, Date.now() - minutes * 60_000);
        return gateway.verifyCallback(connection(), sent.raw, sent.headers);
      };
      expect(await sentMinutesAgo(1)).not.toBeNull();
      expect(await sentMinutesAgo(6)).toBeNull();
      expect(await sentMinutesAgo(-6)).toBeNull();
    });

    test("signed bytes that are no callback are not", async () => {
      for (const text of ["", "null", "[]", "{}", '{"id":1}', "\u0000"]) {
        const { raw, headers } = harness.signedAt(
          connection(),
          new TextEncoder().encode(text),
          Date.now(),
        );
        expect(await gateway.verifyCallback(connection(), raw, headers)).toBeNull();
      }
    });

    test("a replayed or repeated one carries the id it had, by which it is dropped", async () => {
      const { raw, headers } = await sentFor(payment());
      const first = await gateway.verifyCallback(connection(), raw, headers);
      expect(await gateway.verifyCallback(connection(), raw, headers)).toEqual(first);
      const again = harness.signedAt(connection(), raw, Date.now());
      expect(await gateway.verifyCallback(connection(), again.raw, again.headers)).toEqual(first);
    });

    test("out of order they still lead to the truth, since each only says where to look", async () => {
      const request = payment();
      const url = await begin(request);
      if (harness.afterDecline === "open") await harness.press(url, "decline");
      await harness.press(url, "approve_later");
      await harness.settle(connection());
      const sent = await harness.callbacks(connection());
      expect(sent.length).toBeGreaterThan(1);
      const seen = await Promise.all(
        sent
          .reverse()
          .map(({ raw, headers }) => gateway.verifyCallback(connection(), raw, headers)),
      );
      expect(new Set(seen.map((callback) => callback?.eventId)).size).toBe(sent.length);
      for (const callback of seen) {
        expect(callback).toMatchObject(await namesOf(request));
        expect((await gateway.find(connection(), request.reference)).kind).toBe("succeeded");
      }
    });
  });
}
