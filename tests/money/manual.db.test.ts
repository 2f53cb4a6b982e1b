import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { cancel } from "@/lib/domain/payment-links/cancel";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { remove } from "@/lib/domain/payment-links/remove";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { get } from "@/lib/domain/payments/get";
import { create as refund } from "@/lib/flows/refund/steps";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { pressButton } from "@/lib/gateways/simulator/page";
import { script } from "@/lib/gateways/simulator/scripting";
import { Problem } from "@/lib/kernel/problem";
import {
  assertBooksAgree,
  chargesOf,
  choose,
  comeToRest,
  newLink,
  newShop,
  paymentsOf,
  press,
} from "./setting";
import { advanceTo, newClock, newShopIn, periodsOf, subscribe, work } from "./subscription-setting";

describe("a payment recorded by hand", () => {
  it("is the link's amount, pays the link, and is booked apart from the gateway's", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const payment = await recordManualPayment(shop.ctx, link._id, {
      method: "cash",
      note: "At the door",
      received_at: "2026-01-02T03:04:05.000000Z",
    });
    expect(payment).toMatchObject({
      status: "succeeded",
      amount: 1_250,
      currency: "MYR",
      gateway: "manual",
      method: "cash",
      note: "At the door",
      received_at: "2026-01-02T03:04:05.000000Z",
      payment_link_id: link._id,
      flags: [],
    });
    expect(await getLink(shop.ctx, link._id)).toMatchObject({
      status: "Paid",
      paid: true,
      paid_at: "2026-01-02T03:04:05.000000Z",
    });
    await assertBooksAgree(shop);
    await expect(recordManualPayment(shop.ctx, link._id, { method: "cash" })).rejects.toMatchObject(
      {
        status: 409,
      },
    );
  });

  it("was received now where the caller names no moment", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const { received_at } = await recordManualPayment(shop.ctx, link._id, { method: "cash" });
    expect(received_at).toEqual(expect.any(String));
    expect((await getLink(shop.ctx, link._id)).paid_at).toBe(received_at);
  });

  it("is refunded by hand: written down, with nothing asked of a gateway", async () => {
    const shop = await newShop();
    const { _id } = await recordManualPayment(shop.ctx, (await newLink(shop))._id, {
      method: "other",
    });
    await script(shop.account.connection.id, "refund", "error");
    expect(await refund(shop.ctx, _id, { amount: 250 })).toMatchObject({
      status: "succeeded",
      gateway: "manual",
    });
    expect(await get(shop.ctx, _id)).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 250,
    });
    await assertBooksAgree(shop);
  });

  it("did not come in the future", async () => {
    const shop = await newShop();
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await expect(
      recordManualPayment(shop.ctx, (await newLink(shop))._id, {
        method: "cash",
        received_at: inAnHour,
      }),
    ).rejects.toMatchObject({
      status: 422,
      options: {
        errors: { received_at: ["The received at must be a date before or equal to now."] },
      },
    });
  });

  it("is refused for a link that takes no money: cancelled, expired, deleted", async () => {
    const shop = await newShop();
    const [cancelled, expired, deleted] = [
      await newLink(shop),
      await newLink(shop),
      await newLink(shop),
    ];
    await cancel(shop.ctx, cancelled._id);
    await db.execute(
      sql`update payment_links set expires_at = now() - interval '1 second' where id = ${expired._id}`,
    );
    await remove(shop.ctx, deleted._id);
    await expect(
      recordManualPayment(shop.ctx, cancelled._id, { method: "cash" }),
    ).rejects.toMatchObject({
      status: 409,
    });
    await expect(
      recordManualPayment(shop.ctx, expired._id, { method: "cash" }),
    ).rejects.toMatchObject({
      status: 409,
    });
    await expect(
      recordManualPayment(shop.ctx, deleted._id, { method: "cash" }),
    ).rejects.toMatchObject({
      status: 404,
    });
    expect(await paymentsOf(shop)).toEqual([]);
  });

  it("closes the page a payer has open at the gateway first", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const session = (await press(shop, link._id)) as string;
    await recordManualPayment(shop.ctx, link._id, { method: "bank_transfer" });
    await choose(shop, session, "approve");
    expect(await chargesOf(shop, link._id)).toBe(0);
    await assertBooksAgree(shop);
  });

  it("waits for no gateway while the payer has no page yet", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await script(shop.account.connection.id, "begin", "reset");
    expect(await press(shop, link._id)).toBeUndefined();
    await script(shop.account.connection.id, "cancel", "error", { times: 4 });
    await recordManualPayment(shop.ctx, link._id, { method: "cash" });
    expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual([
      "cancelled",
      "succeeded",
    ]);
    await assertBooksAgree(shop);
  });

  it("closes no payer's page when it is refused", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const session = (await press(shop, link._id)) as string;
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await expect(
      recordManualPayment(shop.ctx, link._id, { method: "cash", received_at: inAnHour }),
    ).rejects.toMatchObject({ status: 422 });
    await choose(shop, session, "approve");
    expect(await chargesOf(shop, link._id)).toBe(1);
    await assertBooksAgree(shop);
  });

  it("is refused while that page cannot be closed, and while a payment is being processed", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const session = (await press(shop, link._id)) as string;
    await script(shop.account.connection.id, "cancel", "error", { times: 4 });
    await expect(recordManualPayment(shop.ctx, link._id, { method: "cash" })).rejects.toMatchObject(
      {
        status: 409,
      },
    );
    await choose(shop, session, "approve_later");
    await expect(recordManualPayment(shop.ctx, link._id, { method: "cash" })).rejects.toMatchObject(
      {
        status: 409,
      },
    );
    await comeToRest(shop);
    expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["succeeded"]);
    await assertBooksAgree(shop);
  });

  it("recorded by several people while the payer pays: one payment pays the link", async () => {
    for (let round = 0; round < 8; round++) {
      const shop = await newShop();
      const link = await newLink(shop);
      const session = (await press(shop, link._id)) as string;
      const record = () =>
        recordManualPayment(shop.ctx, link._id, { method: "cash" }).catch((error: unknown) => {
          if (!(error instanceof Problem && error.status === 409)) throw error;
        });
      await Promise.all([record(), pressButton(session, "approve", "1"), record()]);
      await comeToRest(shop);
      expect(
        (await paymentsOf(shop)).filter((payment) => payment.succeededAt !== null),
      ).toHaveLength(1);
      await assertBooksAgree(shop);
    }
  });

  it("for a subscription's period settles the period", async () => {
    const shop = await newShopIn("UTC");
    const { _id } = await subscribe(shop);
    await work(shop);
    const link = (await getSubscription(shop.ctx, _id)).payment_links[0];
    await recordManualPayment(shop.ctx, link?._id ?? "", { method: "cash" });
    await work(shop);
    expect((await getSubscription(shop.ctx, _id)).status).toBe("active");
    expect((await periodsOf(shop, _id)).map(({ state }) => state)).toEqual(["paid", "due"]);
    await assertBooksAgree(shop);
  });

  it("under a test clock counts as of the clock's time", async () => {
    const shop = await newShopIn("UTC");
    const clock = await newClock(shop, "2031-05-01T08:00:00Z");
    const { _id } = await subscribe(shop, {}, clock);
    await advanceTo(shop, clock, "2031-05-01T09:00:00Z");
    const link = (await getSubscription(shop.ctx, _id)).payment_links[0];
    await expect(
      recordManualPayment(shop.ctx, link?._id ?? "", {
        method: "cash",
        received_at: "2031-05-01T09:00:01.000000Z",
      }),
    ).rejects.toMatchObject({ status: 422 });
    const payment = await recordManualPayment(shop.ctx, link?._id ?? "", {
      method: "cash",
      received_at: "2031-05-01T08:30:00.000000Z",
    });
    expect(payment.created_at).toBe("2031-05-01T09:00:00.000000Z");
    expect(payment.received_at).toBe("2031-05-01T08:30:00.000000Z");
    expect((await refund(shop.ctx, payment._id, {})).created_at).toBe(
      "2031-05-01T09:00:00.000000Z",
    );
  });
});
