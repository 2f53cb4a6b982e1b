import { afterAll, expect, test, vi } from "vitest";
import { closePool, withTransaction } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { changeLink, findLink, markDeleted } from "@/lib/domain/payment-links/rows";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { abandon, reconcile } from "@/lib/flows/charge/reconcile";
import { cancel as cancelLink, remove as removeLink } from "@/lib/flows/link-change/steps";
import { beforeNext } from "./before-next";
import { newLink, newShop, paymentsOf, press, type Shop } from "./setting";
import { eventsOf, newShopIn, saveMethod, subscribe, work } from "./subscription-setting";

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

type Period = { shop: Shop; id: string; linkId: string };

const endings = {
  cancelled: ({ shop, id }: Period) => update(shop.ctx, id, { status: "cancel" }),
  deleted: ({ shop, id }: Period) => remove(shop.ctx, id),
};

/** The gateway says that it took the money of an attempt that was over. */
const succeed = ({ ctx }: Shop, { id, gatewayId, amount, currency }: PaymentRow) =>
  settle(ctx, id, { kind: "succeeded", gatewayId: gatewayId ?? "", fee: 0, amount, currency });

/** A subscription with a period's link, after the saved method was declined where there is one. */
async function asked({ declined }: { declined: boolean }) {
  const shop = await newShopIn("UTC");
  if (declined) await saveMethod(shop, "needs_payer");
  const { _id: id } = await subscribe(shop);
  await work(shop);
  const linkId = (await get(shop.ctx, id)).payment_links[0]?._id ?? "";
  return { shop, id, linkId, charge: (await paymentsOf(shop))[0] as PaymentRow };
}

/** A payer presses pay, and the link ends before the gateway answers with its page. Returns the link. */
async function pressAsItEnds(shop: Shop, linkId: string, end: () => Promise<unknown>) {
  vi.spyOn(simulatorGateway, "beginPayment");
  beforeNext(simulatorGateway.beginPayment, end);
  expect(await press(shop, linkId)).toBeUndefined();
  const page = (await paymentsOf(shop)).at(-1) as PaymentRow;
  expect(page).toMatchObject({ status: "cancelled", nextCheckAt: null });
  const { gateway, connection } = shop.account;
  expect((await gateway.find(connection, page.id)).kind).toBe("cancelled");
  return findLink(shop.ctx, linkId);
}

test.each(["cancelled", "deleted"] as const)(
  "no payer is sent to a page that the gateway opens once the subscription is %s",
  async (ending) => {
    const period = await asked({ declined: false });
    const link = await pressAsItEnds(period.shop, period.linkId, () => endings[ending](period));
    expect(link).toMatchObject({ status: "Cancelled", openPaymentId: null });
  },
);

test("no payer is sent to a page that the gateway opens once an earlier charge has paid the period", async () => {
  const { shop, linkId, charge } = await asked({ declined: true });
  const link = await pressAsItEnds(shop, linkId, async () => {
    await succeed(shop, charge);
    await work(shop);
  });
  expect(link).toMatchObject({ status: "Cancelled", openPaymentId: null });
});

test.each(["cancelled", "deleted"] as const)(
  "no payer is sent to a page that the gateway opens once staff %s the link, for which they did not wait",
  async (ending) => {
    const shop = await newShop();
    const { _id: linkId } = await newLink(shop);
    const link = await pressAsItEnds(shop, linkId, () =>
      ending === "cancelled" ? cancelLink(shop.ctx, linkId) : removeLink(shop.ctx, linkId),
    );
    expect(link?.status).toBe(ending === "cancelled" ? "Cancelled" : undefined);
  },
);

test("no payer is sent to a page that the gateway opens once late money has paid the link", async () => {
  const shop = await newShop();
  const { _id: linkId } = await newLink(shop);
  await press(shop, linkId);
  const first = (await paymentsOf(shop))[0] as PaymentRow;
  await abandon(shop.ctx, first, await resolveGateway(shop.ctx));
  const link = await pressAsItEnds(shop, linkId, () => succeed(shop, first));
  expect(link).toMatchObject({ status: "Paid", openPaymentId: null });
});

test("a payment under way that fails after an earlier charge has paid the period leaves no link to pay", async () => {
  const { shop, id, linkId, charge } = await asked({ declined: true });
  await press(shop, linkId);
  const { id: pageId, gatewayId } = (await paymentsOf(shop)).at(-1) as PaymentRow;
  const known = { gatewayId: gatewayId ?? "" };
  await settle(shop.ctx, pageId, { kind: "pending", ...known });
  await succeed(shop, charge);
  await work(shop);
  expect((await get(shop.ctx, id)).status).toBe("active");
  expect((await getLink(shop.ctx, linkId)).status).toBe("Processing");
  await settle(shop.ctx, pageId, { kind: "failed", ...known, decline: "soft", reason: "No." });
  expect((await getLink(shop.ctx, linkId)).status).toBe("Cancelled");
});

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
