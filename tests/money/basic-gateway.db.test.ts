import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { db } from "@/db/client";
import { lastRestore } from "@/db/settings";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { resolve } from "@/lib/domain/payments/resolve";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { unscopedUnknown } from "@/lib/domain/payments/unknown-rows";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { begin as beginSaving } from "@/lib/flows/activation/steps";
import { charge } from "@/lib/flows/charge/steps";
import { create as refund } from "@/lib/flows/refund/steps";
import { renewal } from "@/lib/flows/renewal/job";
import { basicSimulator, signForm } from "@/lib/gateways/simulator/basic";
import { pressButton } from "@/lib/gateways/simulator/page";
import { journalOf, saveScriptedMethod, script } from "@/lib/gateways/simulator/scripting";
import { receiveCallback } from "@/lib/http/callback";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { settleActivation } from "@/lib/flows/activation/settle";
import { runOnce } from "../run-once";
import { newBasicShop } from "./basic-setting";
import { beforeNext } from "./before-next";
import {
  assertBooksAgree,
  comeToRest,
  newLink,
  newShop,
  paidPayment,
  paymentsOf,
  press,
  refundsOf,
  type Shop,
} from "./setting";
import { referenceOf } from "./setting-verbs";
import { passDays, subscribe, work } from "./subscription-setting";

vi.mock(import("@/db/settings"), { spy: true });
vi.mock(import("@/lib/domain/gateway-connections/account"), { spy: true });
vi.mock(import("@/lib/gateways/registry"), async (original) => {
  const { withBasicGateway } = await import("./basic-registry");
  return withBasicGateway(await original());
});

afterEach(() => vi.restoreAllMocks());

const payer = { email: "payer@example.com", name: null, phone: null };

async function activeToken(shop: Shop): Promise<string> {
  const { _id, token } = await createToken(shop.ctx, {
    email: payer.email,
    title: "Membership",
    description: "Renewed every year",
  });
  await beginSaving(token, "test");
  const id = await saveScriptedMethod(shop.account.connection);
  const card = { brand: "visa", last4: "4242", exp: "01/2040" };
  const saved = { kind: "saved", gatewayId: "g", method: { id, card } } as const;
  await settleActivation(shop.ctx, _id, 1, saved);
  return token;
}

describe("the payer's e-mail, name and phone", () => {
  test("reach the gateway with a page to pay, a page to save a method, a charge and a renewal", async () => {
    const shop = await newBasicShop();
    const pages = vi.spyOn(basicSimulator, "beginPayment");
    const saving = vi.spyOn(basicSimulator, "saveMethod");
    const charges = vi.spyOn(basicSimulator, "charge");
    await press(shop, (await newLink(shop))._id);
    const token = await activeToken(shop);
    await charge(shop.ctx, token, { amount: 1_000, currency: "MYR", title: "October" });
    await subscribe(shop);
    await work(shop);
    for (const calls of [pages, saving, charges]) {
      const own = calls.mock.calls.filter(([{ id }]) => id === shop.account.connection.id);
      expect(own.length).toBeGreaterThan(0);
      for (const [, request] of own) expect(request.payer).toEqual(payer);
    }
    expect(charges.mock.calls.some(([, request]) => request.subscriptionId)).toBe(true);
  });
});

describe("a callback secret that the gateway hands out", () => {
  test("is kept when the account is connected, and verifies callbacks that are forms", async () => {
    const shop = await newBasicShop();
    const { connection } = shop.account;
    expect(connection.callbackSecret).toMatch(/^[0-9a-f]{64}$/);
    const session = await press(shop, (await newLink(shop))._id);
    await pressButton(String(session), "approve", "1");
    const reference = (await referenceOf(String(session))) ?? "";
    const send = (secret: string) => {
      const fields = new Map([
        ["id", newId()],
        ["type", "payment.succeeded"],
        ["reference", reference],
      ]);
      const request = new Request("http://localhost:3000/api/gateways/basic/callback/x", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: signForm(fields, secret, Date.now()),
      });
      const params = { gateway: "basic", connection_id: connection.id };
      return receiveCallback(request, { params });
    };
    expect((await send("another secret")).status).toBe(400);
    const answer = await send(connection.callbackSecret ?? "");
    expect([answer.status, await answer.text()]).toEqual([200, "OK"]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    await expect
      .poll(async () => (await findPayment(shop.ctx, reference))?.status, { interval: 20 })
      .toBe("succeeded");
  });
});

const chargesAt = async ({ account }: Shop) =>
  (await journalOf(account.connection.id)).filter(({ type }) => type === "charge");
const charged = { amount: 1_000, currency: "MYR", title: "October" };

describe("a charge in two steps", () => {
  type Step = "prepare" | "charge";

  /** A process that stops for good before or after it called the gateway. `resume` lets it go on, as one that was only stalled. */
  async function stoppedAt(shop: Shop, token: string, step: Step, when: "before" | "after") {
    const work = basicSimulator[step];
    if (!work) throw new Error("nothing is prepared");
    const stopped = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    vi.spyOn(basicSimulator, step as "charge").mockImplementationOnce(
      async (...call): ReturnType<typeof basicSimulator.charge> => {
        const early = when === "before" ? null : await work(...call);
        stopped.resolve();
        await resumed.promise;
        return (early ?? (await work(...call))) as Awaited<
          ReturnType<typeof basicSimulator.charge>
        >;
      },
    );
    const running = charge(shop.ctx, token, charged);
    await stopped.promise;
    const resume = async () => {
      resumed.resolve();
      return running;
    };
    return { resume, payment: (await paymentsOf(shop))[0] as PaymentRow };
  }

  test.each([
    ["prepare", "before", false],
    ["prepare", "after", false],
    ["charge", "before", true],
    ["charge", "after", true],
  ] as const)(
    "that stops at %s, %s the call, is finished by the worker and takes the money once",
    async (step, when, isKept) => {
      const shop = await newBasicShop();
      const { resume, payment } = await stoppedAt(shop, await activeToken(shop), step, when);
      expect(payment).toMatchObject({ status: "submitting" });
      expect(payment.gatewayId !== null).toBe(isKept);
      const after = await reconcile(shop.ctx, payment);
      expect(after.status).toBe("succeeded");
      expect(await chargesAt(shop)).toMatchObject([{ sessionId: after.gatewayId, amount: 1_000 }]);
      expect(await resume()).toMatchObject({ status: "succeeded" });
      expect(await chargesAt(shop)).toHaveLength(1);
      expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
        status: "succeeded",
        gatewayId: after.gatewayId,
      });
    },
  );

  test("is not charged again when a restored backup may lack its id", async () => {
    const shop = await newBasicShop();
    const token = await activeToken(shop);
    const { resume, payment } = await stoppedAt(shop, token, "charge", "after");
    // The backup was made before the id was committed.
    await db.execute(
      sql`update payments set gateway_id = null, started_at = now() - interval '1 hour' where id = ${payment.id}`,
    );
    vi.mocked(lastRestore).mockResolvedValueOnce(new Date().toISOString());
    const restored = (await findPayment(shop.ctx, payment.id)) as PaymentRow;
    expect(await reconcile(shop.ctx, restored)).toMatchObject({ status: "unknown" });
    expect(await chargesAt(shop)).toHaveLength(1);
    await resume();
  });

  /** A charge that the gateway left without an answer at this step, a day ago. */
  async function unanswered(shop: Shop, step: "begin" | "charge", times = 1): Promise<PaymentRow> {
    const token = await activeToken(shop);
    await script(shop.account.connection.id, step, "error", { times });
    const { _id, status } = await charge(shop.ctx, token, charged);
    expect(status).toBe("unknown");
    await db.execute(
      sql`update payments set (created_at, started_at, unknown_since) = row(t, t, t) from (select now() - interval '25 hours' as t) as moment where id = ${_id}`,
    );
    return (await findPayment(shop.ctx, _id)) as PaymentRow;
  }

  test.each(["begin", "charge"] as const)(
    "that had no answer at %s is not resolved while it is sent again",
    async (step) => {
      const shop = await newBasicShop();
      const payment = await unanswered(shop, step);
      const send = basicSimulator.charge;
      let resolved: unknown;
      vi.spyOn(basicSimulator, "charge").mockImplementationOnce(async (...call) => {
        resolved = await resolve(shop.ctx, payment.id, {}).catch((error: unknown) => error);
        return send(...call);
      });
      expect(await reconcile(shop.ctx, payment)).toMatchObject({ status: "succeeded", flags: [] });
      expect(resolved).toMatchObject({ status: 409 });
      expect(await chargesAt(shop)).toHaveLength(1);
    },
  );

  test("that stays without an answer is as old as its first send, for the alert", async () => {
    const shop = await newBasicShop();
    const payment = await unanswered(shop, "charge", 2);
    expect(await reconcile(shop.ctx, payment)).toMatchObject({ status: "unknown" });
    const unknown = await unscopedUnknown("payments");
    expect(unknown.find(({ mode }) => mode === "test")?.oldest).toBeGreaterThan(24 * 3_600);
  });

  const sentBefore = async ({ ctx }: Shop, id: string, minutes: number): Promise<PaymentRow> => {
    await db.execute(
      sql`update payments set started_at = now() - make_interval(mins => ${minutes}) where id = ${id}`,
    );
    return (await findPayment(ctx, id)) as PaymentRow;
  };
  const refused = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({ status: 409, code: "conflict" });

  test("that stays without an answer is sent once an hour after a day, and resolved in between", async () => {
    const shop = await newBasicShop();
    const payment = await unanswered(shop, "charge", 2);
    const { id } = payment;
    expect(await reconcile(shop.ctx, payment)).toMatchObject({ status: "unknown" });
    await refused(resolve(shop.ctx, id, {}));
    const later = await sentBefore(shop, id, 15);
    expect(await reconcile(shop.ctx, later)).toMatchObject({ status: "unknown" });
    expect(await chargesAt(shop)).toEqual([]);
    expect(await resolve(shop.ctx, id, {})).toMatchObject({ status: "failed" });
    const other = await unanswered(shop, "charge", 2);
    await reconcile(shop.ctx, other);
    const hourly = await sentBefore(shop, other.id, 60);
    expect(await reconcile(shop.ctx, hourly)).toMatchObject({ status: "succeeded" });
    expect(await chargesAt(shop)).toHaveLength(1);
  });

  test("that an older process left unknown can be resolved too, although it is sent again", async () => {
    const shop = await newBasicShop();
    const { id } = await unanswered(shop, "charge", 2);
    await db.execute(sql`update payments set unknown_since = null where id = ${id}`);
    await reconcile(shop.ctx, (await findPayment(shop.ctx, id)) as PaymentRow);
    await sentBefore(shop, id, 15);
    expect(await resolve(shop.ctx, id, {})).toMatchObject({ status: "failed" });
  });

  test("that the gateway never prepared is resolved after a day, and not sent any more", async () => {
    const shop = await newBasicShop();
    const payment = await unanswered(shop, "begin", 2);
    expect(await reconcile(shop.ctx, payment)).toMatchObject({ status: "unknown" });
    expect(await resolve(shop.ctx, payment.id, {})).toMatchObject({ status: "failed" });
    await reconcile(shop.ctx, payment);
    expect(await chargesAt(shop)).toEqual([]);
  });

  test("is not charged once its subscription has ended in between", async () => {
    const shop = await newBasicShop();
    const { resume, payment } = await stoppedAt(shop, await activeToken(shop), "prepare", "after");
    await db.execute(sql`update payments set withdrawn_at = now() where id = ${payment.id}`);
    expect(await resume()).toMatchObject({ status: "unknown" });
    expect(await chargesAt(shop)).toEqual([]);
  });

  test("is not charged once its token is revoked in between", async () => {
    const shop = await newBasicShop();
    const token = await activeToken(shop);
    const { resume } = await stoppedAt(shop, token, "prepare", "after");
    await revoke(shop.ctx, token);
    expect(await resume()).toMatchObject({ status: "unknown" });
    expect(await chargesAt(shop)).toEqual([]);
  });
});

describe("a charge that is written down and not sent yet", () => {
  test.each([
    ["one step", newShop],
    ["two steps", newBasicShop],
  ] as const)("(in %s) is not sent once its token is revoked, and ends", async (_, open) => {
    const shop = await open();
    const token = await activeToken(shop);
    beforeNext(resolveGatewayOf, () => revoke(shop.ctx, token));
    const { _id } = await charge(shop.ctx, token, charged);
    await comeToRest(shop);
    expect((await findPayment(shop.ctx, _id))?.status).toBe("cancelled");
    expect(await chargesAt(shop)).toEqual([]);
  });

  test("is not sent by a worker that was paused until it was over", async () => {
    const shop = await newShop();
    const token = await activeToken(shop);
    beforeNext(resolveGatewayOf, async () => {
      const [{ id }] = (await paymentsOf(shop)) as [PaymentRow];
      await settle(shop.ctx, id, { kind: "cancelled", gatewayId: "" });
    });
    expect(await charge(shop.ctx, token, charged)).toMatchObject({ status: "cancelled" });
    expect(await chargesAt(shop)).toEqual([]);
  });

  test("for a subscription becomes a link for its payer once the saved method is revoked", async () => {
    const shop = await newShop();
    const token = await activeToken(shop);
    const { _id } = await subscribe(shop);
    beforeNext(resolveGatewayOf, () => revoke(shop.ctx, token));
    await runOnce(renewal, shop.ctx.businessId);
    await comeToRest(shop);
    await passDays(shop, 1);
    await work(shop);
    expect(await chargesAt(shop)).toEqual([]);
    expect(await getSubscription(shop.ctx, _id)).toMatchObject({
      status: "created",
      payment_links: [{ status: "Active" }],
    });
  });
});

describe("a payment that the gateway cannot refund", () => {
  test("is refused with advice, and nothing is written", async () => {
    const shop = await newBasicShop();
    const { id } = await paidPayment(shop);
    const refused = await refund(shop.ctx, id, { amount: 400 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({
      status: 409,
      code: "refund_unsupported",
      message:
        "Basic has no refunds in its API. Give the money back at Basic, then record the refund here.",
    });
    expect(await refundsOf(shop)).toEqual([]);
  });

  test("is recorded as refunded once staff gave the money back there", async () => {
    const shop = await newBasicShop();
    const { id } = await paidPayment(shop);
    expect(await refund(shop.ctx, id, { amount: 400, made_at_gateway: true })).toMatchObject({
      status: "succeeded",
      amount: 400,
    });
    expect((await paymentsOf(shop))[0]).toMatchObject({
      status: "partially_refunded",
      refundedAmount: 400,
    });
    const moved = (await journalOf(shop.account.connection.id)).map(({ type }) => type);
    expect(moved).toEqual(["charge"]);
  });

  test("one that Kutip can refund is not merely recorded", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await expect(refund(shop.ctx, id, { made_at_gateway: true })).rejects.toMatchObject({
      status: 409,
      code: "conflict",
    });
    expect(await refundsOf(shop)).toEqual([]);
    await assertBooksAgree(shop);
  });
});

test("two accounts of one gateway can be connected in a mode, and no account twice", async () => {
  const { ctx } = await newShop();
  const connected = (account: string) =>
    insertConnection(db, {
      businessId: ctx.businessId,
      mode: "test",
      id: `${newId()}00000000`,
      gateway: "basic",
      account,
      secret: null,
    });
  await connected("first");
  await connected("second");
  await expect(connected("first")).rejects.toThrow();
});
