import { afterAll, expect, test, vi } from "vitest";
import { closePool, withTransaction } from "@/db/client";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { changeLink, findLink, markDeleted } from "@/lib/domain/payment-links/rows";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { newLink, newShop, paymentsOf, press } from "./setting";
import { eventsOf, newShopIn, subscribe, work } from "./subscription-setting";

afterAll(closePool);

/** A subscription with a period's link on which an attempt is under way. */
async function processing(answer: "pending" | "unknown") {
  const shop = await newShopIn("UTC");
  const { _id: id } = await subscribe(shop);
  await work(shop);
  const linkId = (await get(shop.ctx, id)).payment_links[0]?._id ?? "";
  await press(shop, linkId);
  const [payment] = await paymentsOf(shop);
  if (!payment) throw new Error("no attempt");
  const gatewayId = payment.gatewayId ?? "";
  await settle(
    shop.ctx,
    payment.id,
    answer === "pending" ? { kind: answer, gatewayId } : { kind: answer, reason: "Silent." },
  );
  const fail = () =>
    settle(shop.ctx, payment.id, { kind: "failed", gatewayId, decline: "soft", reason: "No." });
  const link = async () => (await getLink(shop.ctx, linkId)).status;
  expect(await link()).toBe("Processing");
  return { shop, id, linkId, fail, link };
}

const endings = {
  cancelled: ({ shop, id }: Awaited<ReturnType<typeof processing>>) =>
    update(shop.ctx, id, { status: "cancel" }),
  deleted: ({ shop, id }: Awaited<ReturnType<typeof processing>>) => remove(shop.ctx, id),
};

for (const answer of ["pending", "unknown"] as const)
  for (const ending of ["cancelled", "deleted"] as const)
    test(`the link of a ${ending} subscription takes no money once its ${answer} attempt has failed`, async () => {
      const period = await processing(answer);
      await endings[ending](period);
      await period.fail();
      expect(await period.link()).toBe("Cancelled");
      expect(await eventsOf(period.shop)).toContainEqual(
        expect.stringMatching(/payment_link\.cancelled$/),
      );
      await press(period.shop, period.linkId);
      expect(await paymentsOf(period.shop)).toHaveLength(1);
    });

test("nor when the attempt fails at the moment in which the subscription ends", async () => {
  for (let round = 0; round < 6; round++) {
    const period = await processing("pending");
    await Promise.all([endings.cancelled(period), period.fail()]);
    expect(await period.link()).toBe("Cancelled");
  }
});

test.each(["Paid", "Cancelled", "Expired", "deleted"] as const)(
  "the open page of a link that is %s is closed at the next look-up",
  async (end) => {
    const shop = await newShop();
    const { _id: linkId } = await newLink(shop);
    await press(shop, linkId);
    await withTransaction(async (tx) => {
      if (end === "deleted") await markDeleted(shop.ctx, tx, linkId);
      else await changeLink(shop.ctx, tx, linkId, { status: end });
    });
    const [payment] = await paymentsOf(shop);
    if (!payment) throw new Error("no attempt");
    expect(payment.status).toBe("requires_action");
    expect((await reconcile(shop.ctx, payment)).status).toBe("cancelled");
  },
);

test("a page that could not be closed when its subscription ended is closed at the next look-up", async () => {
  const shop = await newShopIn("UTC");
  const { _id: id } = await subscribe(shop);
  await work(shop);
  const linkId = (await get(shop.ctx, id)).payment_links[0]?._id ?? "";
  await press(shop, linkId);
  vi.spyOn(simulatorGateway, "cancel").mockResolvedValueOnce({
    kind: "unknown",
    reason: "Silent.",
  });
  await update(shop.ctx, id, { status: "cancel" });
  const [payment] = await paymentsOf(shop);
  if (!payment) throw new Error("no attempt");
  expect(payment.status).toBe("requires_action");
  expect((await reconcile(shop.ctx, payment)).status).toBe("cancelled");
  expect(await findLink(shop.ctx, linkId)).toMatchObject({
    status: "Cancelled",
    openPaymentId: null,
  });
});
