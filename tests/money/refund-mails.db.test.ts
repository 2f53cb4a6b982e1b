import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { contentOf } from "@/lib/domain/mails/content";
import { settleRefund } from "@/lib/domain/payments/refunds/settle";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { mailComposition } from "@/lib/flows/mailing/job";
import { create as refund } from "@/lib/flows/refund/steps";
import { script } from "@/lib/gateways/simulator/scripting";
import { runAll } from "../run-once";
import { newBasicShop } from "./basic-setting";
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
