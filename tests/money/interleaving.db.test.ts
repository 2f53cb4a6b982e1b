import fc from "fast-check";
import { expect, it } from "vitest";
import { reopen } from "@/lib/domain/payment-links/cancel";
import { cancel, remove, update } from "@/lib/flows/link-change/steps";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { create as refund } from "@/lib/flows/refund/steps";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { isLive } from "@/lib/domain/payments/rules";
import { pressButton } from "@/lib/gateways/simulator/page";
import { script } from "@/lib/gateways/simulator/scripting";
import { Problem } from "@/lib/kernel/problem";
import {
  assertBooksAgree,
  chargesOf,
  comeBack,
  comeToRest,
  newLink,
  newShop,
  paymentsOf,
  press,
  type Shop,
} from "./setting";

type World = { shop: Shop; linkId: string; sessions: string[] };
const acts = {
  press: async (world: World) => {
    const session = await press(world.shop, world.linkId);
    if (session) world.sessions.push(session);
  },
  approve: (world: World) => atGateway(world, "approve"),
  approveLater: (world: World) => atGateway(world, "approve_later"),
  decline: (world: World) => atGateway(world, "decline"),
  loseAnswer: (world: World) => atGateway(world, "lose_answer"),
  comeBack: async (world: World) => {
    for (const session of world.sessions) await comeBack(world.shop, session);
  },
  put: (world: World) =>
    refusable(() =>
      update(world.shop.ctx, world.linkId, {
        email: "p@example.com",
        currency: "MYR",
        amount: 700,
        title: "Changed",
      }),
    ),
  remove: (world: World) => refusable(() => remove(world.shop.ctx, world.linkId)),
  cancel: (world: World) => refusable(() => cancel(world.shop.ctx, world.linkId)),
  recordManualPayment: (world: World) =>
    refusable(() => recordManualPayment(world.shop.ctx, world.linkId, { method: "cash" })),
  refund: async (world: World) => {
    for (const payment of await paymentsOf(world.shop))
      await refusable(() => refund(world.shop.ctx, payment.id, {}));
  },
  reopen: (world: World) => refusable(() => reopen(world.shop.ctx, world.linkId)),
  gatewayAway: (world: World) => script(world.shop.account.connection.id, "find", "error"),
  reconcile: async (world: World) => {
    for (const payment of await paymentsOf(world.shop))
      if (isLive(payment.status)) await reconcile(world.shop.ctx, payment);
  },
};
type Act = keyof typeof acts;

async function atGateway(world: World, outcome: string): Promise<void> {
  const session = world.sessions.at(-1);
  if (session) await pressButton(session, outcome, "1");
}

/** A refusal is a right answer; anything else that is thrown is a fault. */
async function refusable(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 409].includes(error.status)) throw error;
  }
}

it("whatever payers, staff, gateway and reconciler do at the same moments: at most one charge a link, and all books agree", async () => {
  const names = Object.keys(acts) as Act[];
  // Each step is one to three acts at the same time.
  const steps = fc.array(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), {
    minLength: 3,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const shop = await newShop();
      const world: World = { shop, linkId: (await newLink(shop))._id, sessions: [] };
      await acts.press(world);
      for (const step of plan) await Promise.all(step.map((name) => acts[name](world)));
      await comeToRest(shop);
      expect(await chargesOf(shop, world.linkId)).toBeLessThanOrEqual(1);
      await assertBooksAgree(shop);
    }),
    { numRuns: Number(process.env.KUTIP_INTERLEAVINGS ?? 60) },
  );
}, 300_000);
