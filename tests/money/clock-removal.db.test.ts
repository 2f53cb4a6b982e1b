import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { get as getClock } from "@/lib/domain/test-clocks/get";
import { removeClock } from "@/lib/flows/clock-advance/steps";
import { settle } from "@/lib/domain/payments/settle";
import { paymentsOf, press, type Shop } from "./setting";
import { newClock, newShopIn, subscribe } from "./subscription-setting";

afterAll(closePool);

const newLink = (shop: Shop, clock: string) =>
  createLink(shop.ctx, {
    email: "payer@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Satay",
    send_email: false,
    test_clock_id: clock,
  });

/** What still waits for a clock to go on. */
async function followers(clock: string): Promise<unknown[]> {
  const { rows } = await db.execute(sql`
    select id from subscriptions where test_clock_id = ${clock} and status <> 'cancel'
    union all select id from payment_links where test_clock_id = ${clock} and status in ('Active', 'Processing')`);
  return rows;
}

test("what is made while a clock is deleted is refused or cancelled: nothing follows a deleted clock", async () => {
  const shop = await newShopIn("UTC");
  for (let round = 0; round < 8; round++) {
    const clock = await newClock(shop, "2027-01-31T10:00:00");
    await subscribe(shop, {}, clock);
    await newLink(shop, clock);
    const made = [0, 1, 2, 3].flatMap(() => [
      subscribe(shop, {}, clock).then(
        () => 200,
        ({ status }) => status,
      ),
      newLink(shop, clock).then(
        () => 200,
        ({ status }) => status,
      ),
    ]);
    await removeClock(shop.ctx, clock);
    expect([200, 422]).toEqual(expect.arrayContaining(await Promise.all(made)));
    expect(await followers(clock)).toEqual([]);
    await expect(getClock(shop.ctx, clock)).rejects.toMatchObject({ status: 404 });
  }
});

test("a clock stays while a link that follows it is being paid", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await newLink(shop, clock);
  await press(shop, _id);
  const [payment] = await paymentsOf(shop);
  await settle(shop.ctx, payment?.id ?? "", { kind: "pending", gatewayId: "sim_1" });
  await expect(removeClock(shop.ctx, clock)).rejects.toMatchObject({ status: 409 });
  expect(await getClock(shop.ctx, clock)).toMatchObject({ _id: clock });
});
