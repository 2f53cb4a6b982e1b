import { refundLookUps } from "@/lib/flows/refund/job";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import type { Claim } from "@/lib/domain/context";
import { claimKey } from "@/lib/domain/idempotency/claim";
import { mailComposition } from "@/lib/flows/mailing/job";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { receive } from "@/lib/flows/callback/steps";
import { get } from "@/lib/domain/payments/get";
import { create } from "@/lib/flows/refund/steps";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { findRefund } from "@/lib/domain/payments/refunds/rows";
import { hurry, journalOf, script } from "@/lib/gateways/simulator/scripting";
import { sign, signatureHeader } from "@/lib/gateways/simulator/signature";
import { tick } from "@/lib/gateways/simulator/job";
import { Problem } from "@/lib/kernel/problem";
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
import { runOnce } from "../run-once";

const givenBack = async (shop: Shop) =>
  (await journalOf(shop.account.connection.id))
    .filter((entry) => entry.type === "refund")
    .map((entry) => entry.amount);
const next = (shop: Shop, effect: "decline" | "pending" | "reset" | "error" | "hang") =>
  script(shop.account.connection.id, "refund", effect);
const passTime = async (shop: Shop) => {
  await hurry(shop.account.connection.id);
  await tick(shop.account.connection.id, "http://127.0.0.1:9");
};

describe("a refund", () => {
  it("goes in parts until nothing is left, and the link stays paid", async () => {
    const shop = await newShop();
    const { id, paymentLinkId } = await paidPayment(shop);
    expect(await create(shop.ctx, id, { amount: 400, reason: "One seat" })).toMatchObject({
      payment_id: id,
      amount: 400,
      amount_decimal: "4.00",
      status: "succeeded",
      reason: "One seat",
      message: null,
    });
    expect(await get(shop.ctx, id)).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 400,
    });
    expect(await create(shop.ctx, id, {})).toMatchObject({
      amount: 600,
      status: "succeeded",
      reason: null,
    });
    expect(await get(shop.ctx, id)).toMatchObject({ status: "refunded", refunded_amount: 1_000 });
    expect(await getLink(shop.ctx, paymentLinkId ?? "")).toMatchObject({
      status: "Paid",
      paid: true,
    });
    expect(await givenBack(shop)).toEqual([400, 600]);
    await expect(create(shop.ctx, id, { amount: 1 })).rejects.toMatchObject({ status: 409 });
    await assertBooksAgree(shop);
  });

  it("of more than is left is refused on its field, with what is left", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await create(shop.ctx, id, { amount: 999 });
    await expect(create(shop.ctx, id, { amount: 2 })).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: ["The amount must not be greater than 1."] } },
    });
    expect(await givenBack(shop)).toEqual([999]);
  });

  it("is not started by a run that has lost its idempotency key to another run", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    const claim = async () =>
      (await claimKey(shop.ctx, "stalled", "POST", "/refunds", "{}")) as Claim;
    const stalled = await claim();
    await db.execute(
      sql`update idempotency_keys set locked_until = now() where business_id = ${shop.ctx.businessId}`,
    );
    const second = { ...shop.ctx, claim: await claim() };
    expect(await create(second, id, { amount: 400 })).toMatchObject({ status: "succeeded" });
    await expect(
      create({ ...shop.ctx, claim: stalled }, id, { amount: 400 }),
    ).rejects.toMatchObject({ status: 409, code: "idempotency_in_progress" });
    expect(await givenBack(shop)).toEqual([400]);
    await assertBooksAgree(shop);
  });

  it("of what has not succeeded is refused", async () => {
    const shop = await newShop();
    await press(shop, (await newLink(shop))._id);
    const [open] = await paymentsOf(shop);
    await expect(create(shop.ctx, open?.id ?? "", {})).rejects.toMatchObject({ status: 409 });
    expect(await refundsOf(shop)).toEqual([]);
  });

  it("mails the payer once, with this refund's own amount", async () => {
    const shop = await newShop();
    const { id, paymentLinkId } = await paidPayment(shop);
    await create(shop.ctx, id, { amount: 400, reason: "between us" });
    await create(shop.ctx, id, { amount: 250 });
    const subjects = async () => {
      await runOnce(mailComposition, shop.ctx.businessId);
      const { rows } = await db.execute<{ subject: string }>(
        sql`select subject from mails where object_id = ${paymentLinkId} and kind = 'refund' order by created_at`,
      );
      return rows.map(({ subject }) => subject);
    };
    await expect
      .poll(subjects, { timeout: 60_000, interval: 50 })
      .toEqual([
        "[Test] Refund: MYR 4.00 from Night Market",
        "[Test] Refund: MYR 2.50 from Night Market",
      ]);
    const { rows } = await db.execute<{
      data: Record<string, unknown>;
      previous: Record<string, unknown>;
      actor: unknown;
    }>(
      sql`select data, previous, actor from events where object_id = ${id} and type = 'payment.refunded' order by seq`,
    );
    expect(
      rows.map(({ previous, data }) => [previous.refunded_amount, data.refunded_amount]),
    ).toEqual([
      [0, 400],
      [400, 650],
    ]);
    expect(JSON.stringify(rows)).not.toContain("between us");
  });

  it("the bank refuses says why, moves nothing, and frees its amount", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await next(shop, "decline");
    expect(await create(shop.ctx, id, {})).toMatchObject({
      status: "failed",
      message: "The bank refused the refund.",
    });
    expect(await get(shop.ctx, id)).toMatchObject({ status: "succeeded", refunded_amount: 0 });
    expect(await create(shop.ctx, id, {})).toMatchObject({ status: "succeeded", amount: 1_000 });
    await assertBooksAgree(shop);
  });

  it.each(["reset", "error"] as const)(
    "whose answer is lost (%s) is unknown, holds its amount, and is settled once by the worker",
    async (effect) => {
      const shop = await newShop();
      const { id } = await paidPayment(shop);
      await next(shop, effect);
      const refund = await create(shop.ctx, id, { amount: 700 });
      expect(refund.status).toBe("unknown");
      await expect(create(shop.ctx, id, { amount: 301 })).rejects.toMatchObject({ status: 422 });
      await db.execute(
        sql`update refunds set next_check_at = now() - interval '1 day' where business_id = ${shop.ctx.businessId}`,
      );
      await Promise.all([1, 2].map(() => runOnce(refundLookUps, shop.ctx.businessId)));
      expect(await findRefund(shop.ctx, refund._id)).toMatchObject({ status: "succeeded" });
      expect(await givenBack(shop)).toEqual([700]);
      await assertBooksAgree(shop);
    },
  );

  it("that is pending goes through when the gateway says so", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await next(shop, "pending");
    const refund = await create(shop.ctx, id, { amount: 700 });
    expect(refund).toMatchObject({ status: "pending" });
    expect(await get(shop.ctx, id)).toMatchObject({ status: "succeeded", refunded_amount: 0 });
    await passTime(shop);
    const { id: connectionId, secret } = shop.account.connection;
    const raw = new TextEncoder().encode(
      JSON.stringify({ id: `event-${refund._id}`, type: "refund.succeeded", reference: id }),
    );
    await (
      await receive(
        "simulator",
        connectionId,
        raw,
        new Headers({ [signatureHeader]: sign(secret, raw, Date.now()) }),
        "callback",
      )
    ).work();
    expect(await findRefund(shop.ctx, refund._id)).toMatchObject({ status: "succeeded" });
    await assertBooksAgree(shop);
  });

  it("asked for at the same moment by many never gives more back than came", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => create(shop.ctx, id, { amount: 300 })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await givenBack(shop)).toEqual([300, 300, 300]);
    await assertBooksAgree(shop);
  });

  it("of a disputed payment is refused, and one under way when the dispute came is still booked", async () => {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await next(shop, "pending");
    const refund = await create(shop.ctx, id, { amount: 100 });
    await db.execute(sql`update payments set status = 'disputed' where id = ${id}`);
    await expect(create(shop.ctx, id, { amount: 100 })).rejects.toMatchObject({ status: 409 });
    await passTime(shop);
    const row = await findRefund(shop.ctx, refund._id);
    expect(row && (await reconcileRefund(shop.ctx, row)).status).toBe("succeeded");
    expect(await get(shop.ctx, id)).toMatchObject({ status: "disputed", refunded_amount: 100 });
  });
});

type World = { shop: Shop; paymentId: string };
const acts = {
  some: (world: World) => refusable(() => create(world.shop.ctx, world.paymentId, { amount: 300 })),
  much: (world: World) => refusable(() => create(world.shop.ctx, world.paymentId, { amount: 800 })),
  rest: (world: World) => refusable(() => create(world.shop.ctx, world.paymentId, {})),
  decline: (world: World) => next(world.shop, "decline"),
  pending: (world: World) => next(world.shop, "pending"),
  loseAnswer: (world: World) => next(world.shop, "reset"),
  gatewayAway: (world: World) => next(world.shop, "error"),
  cannotLook: (world: World) => script(world.shop.account.connection.id, "find", "error"),
  passTime: (world: World) => passTime(world.shop),
  reconcile: async (world: World) => {
    for (const refund of await refundsOf(world.shop)) await reconcileRefund(world.shop.ctx, refund);
  },
};
type Act = keyof typeof acts;

/** A refusal is a right answer; anything else that is thrown is a fault. */
async function refusable(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem) || ![409, 422].includes(error.status)) throw error;
  }
}

it("whatever staff, gateway and worker do at the same moments: never more goes back than came, and all books agree", async () => {
  const steps = fc.array(
    fc.array(fc.constantFrom(...(Object.keys(acts) as Act[])), { minLength: 1, maxLength: 3 }),
    { minLength: 2, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const shop = await newShop();
      const world: World = { shop, paymentId: (await paidPayment(shop)).id };
      for (const step of plan) await Promise.all(step.map((name) => acts[name](world)));
      await comeToRest(shop);
      expect((await givenBack(shop)).reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(
        1_000,
      );
      await assertBooksAgree(shop);
    }),
    { numRuns: Number(process.env.KUTIP_INTERLEAVINGS ?? 40) },
  );
}, 300_000);
