import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { contentOf } from "@/lib/domain/mails/content";
import { settleRefund } from "@/lib/domain/payments/refunds/settle";
import { create } from "@/lib/domain/payment-links/create";
import { payerEmailOf } from "@/lib/domain/payments/payer-rows";
import { findPayment } from "@/lib/domain/payments/rows";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { update } from "@/lib/flows/link-change/steps";
import { mailComposition } from "@/lib/flows/mailing/job";
import { create as refund } from "@/lib/flows/refund/steps";
import { script } from "@/lib/gateways/simulator/scripting";
import { runAll } from "../run-once";
import { newBasicShop } from "./basic-setting";
import { payLate } from "./late-payment";
import { newLink, newShop, paidPayment, refundsOf, type Shop } from "./setting";

vi.mock(import("@/lib/gateways/registry"), async (original) => {
  const { withBasicGateway } = await import("./basic-registry");
  return withBasicGateway(await original());
});

afterAll(closePool);

const amount = 400;
const [byGateway, recorded] = [
  "The money goes back the way you paid. Your bank may take a few days to show it.",
  "Night Market has recorded that this money was returned to you.",
];

async function mailedTexts({ ctx: { businessId } }: Shop): Promise<string[]> {
  await runAll(mailComposition, businessId);
  const { rows } = await db.execute<{ html: string; text: string }>(
    sql`select html, text from mails where business_id = ${businessId} and kind = 'refund' order by created_at, id`,
  );
  return Promise.all(rows.map(async (row) => (await contentOf({ businessId, ...row })).text));
}

const ways: Record<string, [sentence: string, () => Promise<Shop>]> = {
  "made through the gateway": [
    byGateway,
    async () => {
      const shop = await newShop();
      await refund(shop.ctx, (await paidPayment(shop)).id, { amount });
      return shop;
    },
  ],
  "recorded, since its gateway has no refunds": [
    recorded,
    async () => {
      const shop = await newBasicShop();
      await refund(shop.ctx, (await paidPayment(shop)).id, { amount, made_at_gateway: true });
      return shop;
    },
  ],
  "of a payment that was recorded by hand": [
    recorded,
    async () => {
      const shop = await newShop();
      const link = await newLink(shop);
      const { _id } = await recordManualPayment(shop.ctx, link._id, { method: "cash" });
      await refund(shop.ctx, _id, { amount });
      return shop;
    },
  ],
  "that stayed unknown until staff found that it went back": [
    recorded,
    async () => {
      const shop = await newShop();
      await script(shop.account.connection.id, "refund", "error");
      const { _id } = await refund(shop.ctx, (await paidPayment(shop)).id, { amount });
      const [row] = await refundsOf(shop);
      expect(row).toMatchObject({ status: "unknown", gatewayId: null });
      const found = { kind: "succeeded", refundId: "", amount, currency: "MYR" } as const;
      await settleRefund(shop.ctx, _id, found);
      return shop;
    },
  ],
};

test.each(Object.entries(ways))(
  "the mail about a refund %s says how the money goes back",
  async (_, [sentence, make]) => {
    const [text, ...more] = await mailedTexts(await make());
    expect(more).toEqual([]);
    expect(text).toContain(sentence);
    expect(text).not.toContain(sentence === recorded ? byGateway : recorded);
  },
);

test("of two refunds of a payment each mail speaks of its own", async () => {
  const shop = await newShop();
  const { id } = await paidPayment(shop);
  await refund(shop.ctx, id, { amount: 100 });
  await script(shop.account.connection.id, "refund", "error");
  const { _id } = await refund(shop.ctx, id, { amount });
  await settleRefund(shop.ctx, _id, { kind: "succeeded", refundId: "", amount, currency: "MYR" });
  const [first, second] = await mailedTexts(shop);
  expect(first).toContain(byGateway);
  expect(second).toContain(recorded);
});

/** A payer pays "Invoice 1" after its link was edited to ask each address in turn for "Invoice 2", and gets a part back. */
async function paidForAnother(...addresses: string[]) {
  const shop = await newShop();
  const first = {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_000,
    title: "Invoice 1",
    reference: "INV-1",
    reference_2: "PO-1",
    send_email: false,
  };
  const then = { amount: 2_000, title: "Invoice 2", reference: "INV-2", reference_2: "PO-2" };
  const { _id } = await create(shop.ctx, first);
  const id = await payLate(shop.ctx, _id, async () => {
    for (const email of addresses) await update(shop.ctx, _id, { ...first, ...then, email });
  });
  await script(shop.account.connection.id, "refund", "error");
  const { _id: made } = await refund(shop.ctx, id, { amount });
  await settleRefund(shop.ctx, made, { kind: "succeeded", refundId: "", amount, currency: "MYR" });
  return { shop, id };
}

test.each([
  ["was edited", ["ana@example.com"]],
  ["was edited, its payer in other letters", ["Ana@Example.com"]],
  ["had another payer in between", ["bo@example.com", "ana@example.com"]],
])(
  "the mail about a refund of late money says what was paid, not what the link asks for since it %s",
  async (_, addresses) => {
    const { shop } = await paidForAnother(...addresses);
    const [text, ...more] = await mailedTexts(shop);
    expect(more).toEqual([]);
    for (const part of ["Invoice 1", "INV-1"]) expect(text).toContain(part);
    for (const part of ["Invoice 2", "INV-2", "PO-2"]) expect(text).not.toContain(part);
  },
);

test("a link's new payer is neither mailed nor sent instructions about a refund of money that came late from the earlier one", async () => {
  const { shop, id } = await paidForAnother("bo@example.com");
  expect(await mailedTexts(shop)).toEqual([]);
  const payment = await findPayment(shop.ctx, id);
  expect(payment).toMatchObject({ refundedAmount: amount });
  expect(payment && (await payerEmailOf(shop.ctx, payment))).toBeUndefined();
});
