import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { readPaymentSearch } from "@/db/settings";
import { create as createPackage } from "@/lib/domain/packages/create";
import { remove as removeLink } from "@/lib/domain/payment-links/remove";
import { findLink } from "@/lib/domain/payment-links/rows";
import { get } from "@/lib/domain/payments/get";
import { findPayment } from "@/lib/domain/payments/rows";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { charge } from "@/lib/flows/charge/steps";
import { connect, revoke as disconnect } from "@/lib/flows/connecting/steps";
import { searchPayments } from "@/lib/flows/payment-search/steps";
import { create as refund } from "@/lib/flows/refund/steps";
import { renewal } from "@/lib/flows/renewal/job";
import {
  callbacksOf,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paymentsOf,
  savedAtStripe,
  type StripeShop,
} from "./money/stripe-setting";
import { payer } from "./money/subscription-setting";
import {
  AMOUNT,
  atSource,
  backUp,
  changeSearch,
  goBack,
  LONG_AGO,
  newLinkId,
  pageFor,
  payFor,
  peer,
  search,
  taken,
  workCallbacks,
} from "./restore-setting";
import { runOnce } from "./run-once";

test.each([false, true])(
  "what was charged after a backup is not charged again once it is restored, but found at the gateway once that answers (keys forgotten: %s)",
  async (keysForgotten) => {
    await atSource();
    const shop = await newStripeShop(peer);
    await savedAtStripe(shop);
    const { _id: packageId } = await createPackage(shop.ctx, {
      name: "Membership",
      amount: 1_250,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: "2020-01-01",
    });
    const { _id } = await subscribe(shop.ctx, { package_id: packageId, email: payer });
    await backUp();
    await runOnce(renewal, shop.ctx.businessId);
    expect([taken(shop), (await getSubscription(shop.ctx, _id)).status]).toEqual([1, "active"]);
    const [before] = await paymentsOf(shop);

    await goBack(keysForgotten);
    expect((await getSubscription(shop.ctx, _id)).status).toBe("created");
    peer.lose("GET /v1/payment_intents");
    await runOnce(renewal, shop.ctx.businessId);
    expect([taken(shop), await paymentsOf(shop)]).toEqual([1, []]);
    await db.execute(
      sql`update subscription_periods set next_attempt_at = (select next_attempt_at - interval '10 minutes') where business_id = ${shop.ctx.businessId}`,
    );
    await runOnce(renewal, shop.ctx.businessId);
    expect([taken(shop), (await getSubscription(shop.ctx, _id)).status]).toEqual([1, "active"]);
    const [after] = await paymentsOf(shop);
    expect([after?.id, after?.gatewayId, after?.status]).toEqual([
      before?.id,
      before?.gatewayId,
      "succeeded",
    ]);
    const { rows } = await db.execute<{ sum: string }>(
      sql`select sum(amount) from ledger_entries where business_id = ${shop.ctx.businessId}`,
    );
    expect(Number(rows[0]?.sum)).toBe(0);
  },
);

test("what payers paid by links after a backup is found at the gateway and booked once, with no charge made again", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const links: string[] = [];
  for (let count = 0; count < 6; count++) links.push(await newLinkId(shop));
  const [paid, deleted, dearer, pending, open, untouched] = links as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await backUp();
  const madeAt = Date.now();
  const paidId = await payFor(shop, paid);
  const deletedId = await payFor(shop, deleted);
  await db.execute(sql`update payment_links set amount = 2000 where id = ${dearer}`);
  const dearerId = await payFor(shop, dearer);
  const pendingPage = await pageFor(shop, pending);
  shop.bank.press(pendingPage.session, "approve_later");
  const openPage = await pageFor(shop, open);
  const unknownId = await payFor(shop, await newLinkId(shop));

  await goBack(false);
  expect(await paymentsOf(shop)).toEqual([]);
  expect(Date.parse((await readPaymentSearch())?.since ?? "")).toBeLessThan(madeAt);
  await removeLink(shop.ctx, deleted);
  const before = peer.calls.length;
  const { rows: lines } = await db.execute(
    sql`select from gateway_connections where gateway = 'stripe'`,
  );
  peer.lose("GET /v1/payment_intents", lines.length);
  await search();
  expect(await paymentsOf(shop)).toEqual([]);
  peer.lose("GET /v1/checkout/sessions/{session}", 1, shop.bank);
  for (let repeats = 0; repeats < 3; repeats++) await search();

  const found = async (id: string) => (await paymentsOf(shop)).find((row) => row.id === id);
  expect(await found(paidId)).toMatchObject({
    status: "succeeded",
    flags: [],
    paymentLinkId: paid,
  });
  expect((await findLink(shop.ctx, paid))?.status).toBe("Paid");
  expect(await found(deletedId)).toMatchObject({ status: "succeeded", flags: ["late"] });
  expect(await found(dearerId)).toMatchObject({ status: "cancelled", flags: ["amount_mismatch"] });
  expect(await found(unknownId)).toBeUndefined();
  expect(await callbacksOf(shop)).toEqual([
    {
      event_id: `since_backup_${unknownId}`,
      state: "quarantined",
      problem: expect.stringContaining("12.50"),
    },
  ]);
  for (const link of [pending, open, untouched])
    expect((await findLink(shop.ctx, link))?.status).toBe("Active");
  expect(await ledgerOf(shop)).toMatchObject({ sales: -2 * AMOUNT });
  expect(await eventsOf(shop, "payment_link.paid")).toBe(1);

  // What had no outcome, and a page opened before the restore, are found by a later search.
  shop.bank.settle();
  shop.bank.press(openPage.session, "approve");
  await search();
  for (const { id } of [pendingPage, openPage]) expect((await found(id))?.status).toBe("succeeded");
  for (const link of [pending, open]) expect((await findLink(shop.ctx, link))?.status).toBe("Paid");
  const ledger = await ledgerOf(shop);
  expect(ledger).toMatchObject({ sales: -4 * AMOUNT });
  expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0);
  expect(peer.calls.slice(before).filter((call) => !call.startsWith("GET "))).toEqual([]);

  // No page from before the restore takes money any more: the search is done.
  await changeSearch({ restored_at: LONG_AGO });
  await search();
  expect(await readPaymentSearch()).toBeUndefined();
  expect(await ledgerOf(shop)).toEqual(ledger);
});

test("what payers pay by a voucher days after a restore is booked once, and the search goes on until then", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const linkId = await newLinkId(shop);
  await backUp();
  const { session, id } = await pageFor(shop, linkId);
  shop.bank.press(session, "voucher");

  await goBack(false);
  const before = peer.calls.length;
  await changeSearch({ restored_at: LONG_AGO });
  await search();
  expect(await paymentsOf(shop)).toEqual([]);
  // The longer it takes, the rarer are its repeats.
  const next = Date.parse((await readPaymentSearch())?.next_at ?? "");
  expect(next).toBeGreaterThan(Date.now() + 86_400_000);
  shop.bank.settle();
  await search();
  expect((await paymentsOf(shop)).map((row) => [row.id, row.status])).toEqual([[id, "succeeded"]]);
  expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
  expect(await ledgerOf(shop)).toMatchObject({ sales: -AMOUNT });
  expect(await readPaymentSearch()).toBeUndefined();
  expect(peer.calls.slice(before).filter((call) => !call.startsWith("GET "))).toEqual([]);
});

const haveOneAccount = (shop: StripeShop, other: StripeShop) =>
  db.execute(
    sql`update gateway_connections set account = (select account from gateway_connections where id = ${shop.connectionId}) where id = ${other.connectionId}`,
  );

test("of two businesses with one Stripe account, each finds after a restore what is its own", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const other = await newStripeShop(peer);
  await haveOneAccount(shop, other);
  const linkId = await newLinkId(shop);
  await backUp();
  const id = await payFor(shop, linkId);

  await goBack(false);
  peer.share(shop.secretKey, other.secretKey);
  await search();
  expect((await paymentsOf(shop)).map((row) => [row.id, row.status])).toEqual([[id, "succeeded"]]);
  expect([await paymentsOf(other), await callbacksOf(other)]).toEqual([[], []]);
});

test("of two businesses with one Stripe account, one shows what the other cannot search for, until it connects the account again", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const other = await newStripeShop(peer);
  await haveOneAccount(shop, other);
  const linkId = await newLinkId(shop);
  const connectAgain = () =>
    connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  await disconnect(shop.ctx, shop.connectionId);
  await backUp();
  await connectAgain();
  const id = await payFor(shop, linkId);

  await goBack(false);
  peer.share(shop.secretKey, other.secretKey);
  await search();
  const shown = { event_id: `since_backup_${id}`, problem: expect.stringContaining("12.50") };
  expect(await callbacksOf(other)).toMatchObject([{ ...shown, state: "quarantined" }]);
  expect(await paymentsOf(shop)).toEqual([]);
  await connectAgain();
  await search();
  expect((await paymentsOf(shop)).map((row) => [row.id, row.status])).toEqual([[id, "succeeded"]]);
  expect(await callbacksOf(other)).toMatchObject([{ state: "done", problem: null }]);
  expect(await paymentsOf(other)).toEqual([]);
});

test("two workers that find the same payment after a restore book it once, and a link paid again meanwhile has a duplicate", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const [linkId, again] = [await newLinkId(shop), await newLinkId(shop)];
  await backUp();
  await payFor(shop, linkId);
  const first = await payFor(shop, again);
  await goBack(false);
  const second = await payFor(shop, again);
  const searches: Promise<number>[] = [];
  for (let workers = 0; workers < 3; workers++) {
    await changeSearch({ next_at: LONG_AGO });
    searches.push(searchPayments("restore-test"));
  }
  await Promise.all(searches);
  await search();
  expect((await ledgerOf(shop)).sales).toBe(-3 * AMOUNT);
  const flags = (await paymentsOf(shop)).map(({ id, flags }) => [id, flags]);
  expect(flags).toContainEqual([first, ["duplicate"]]);
  expect(flags).toContainEqual([second, []]);
  expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
});

test("what API calls charged tokens after a backup is found at the gateway and booked once, with no charge made again", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const token = await savedAtStripe(shop);
  const revoked = await savedAtStripe(shop);
  await backUp();
  const asked = (title: string, reference?: string) => ({
    amount: AMOUNT,
    currency: "MYR" as const,
    title,
    ...(reference ? { reference } : {}),
  });
  const { _id: first } = await charge(shop.ctx, token, asked("Satay, 12 sticks", "order-7"));
  const { _id: second } = await charge(shop.ctx, token, { ...asked("Teh"), amount: 300 });
  const { _id: third } = await charge(shop.ctx, revoked, asked("Rice"));
  const later = await savedAtStripe(shop);
  const { _id: unknownId } = await charge(shop.ctx, later, asked("Of a later token"));
  const gaveBack = (await findPayment(shop.ctx, second))?.gatewayId ?? "";
  shop.bank.refund(gaveBack, 100, {});

  await goBack(false);
  expect(await paymentsOf(shop)).toEqual([]);
  await revoke(shop.ctx, revoked);
  const before = peer.calls.length;
  const searches: Promise<number>[] = [];
  for (let workers = 0; workers < 3; workers++) {
    await changeSearch({ next_at: LONG_AGO });
    searches.push(searchPayments("restore-test"));
  }
  await Promise.all(searches);
  for (let repeats = 0; repeats < 2; repeats++) await search();
  await workCallbacks(shop);

  const found = async (id: string) => (await paymentsOf(shop)).find((row) => row.id === id);
  expect(await found(first)).toMatchObject({
    status: "succeeded",
    amount: AMOUNT,
    currency: "MYR",
    title: "Satay, 12 sticks",
    reference: "order-7",
    flags: [],
    paymentLinkId: null,
    tokenizationId: expect.any(String),
  });
  expect(await get(shop.ctx, second)).toMatchObject({
    status: "partially_refunded",
    refunded_amount: 100,
    title: "Teh",
    email: payer,
  });
  expect((await found(third))?.status).toBe("succeeded");
  expect(await found(unknownId)).toBeUndefined();
  expect(await callbacksOf(shop)).toContainEqual({
    event_id: `since_backup_${unknownId}`,
    state: "quarantined",
    problem: expect.stringContaining("12.50"),
  });
  const ledger = await ledgerOf(shop);
  expect(ledger).toMatchObject({ sales: -2 * AMOUNT - 300, refunds: 100 });
  expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0);
  expect(await eventsOf(shop, "payment.succeeded")).toBe(3);
  expect(peer.calls.slice(before).filter((call) => call.startsWith("POST /v1/payment"))).toEqual(
    [],
  );
});

test("refunds and disputes since a backup are booked once, of payments from before it and after it", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const refunded = await payFor(shop, await newLinkId(shop));
  const disputed = await payFor(shop, await newLinkId(shop));
  const laterLink = await newLinkId(shop);
  await backUp();
  const later = await payFor(shop, laterLink);
  const intentOf = async (id: string) => (await findPayment(shop.ctx, id))?.gatewayId ?? "";
  shop.bank.refund(await intentOf(refunded), 500, {});
  await refund(shop.ctx, refunded, { amount: 300 });
  shop.bank.refund(await intentOf(later), null, {});
  shop.bank.dispute(await intentOf(disputed));

  await goBack(false);
  const before = peer.calls.length;
  const found = async () => {
    await search();
    await workCallbacks(shop);
    const rows = await Promise.all([refunded, later, disputed].map((id) => get(shop.ctx, id)));
    return rows.map(({ status, refunded_amount }) => [status, refunded_amount]);
  };
  const expected = [
    ["partially_refunded", 800],
    ["refunded", AMOUNT],
    ["disputed", 0],
  ];
  expect(await found()).toEqual(expected);
  const ledger = await ledgerOf(shop);
  expect(ledger).toMatchObject({ refunds: 800 + AMOUNT, disputes: AMOUNT });
  expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0);
  expect(await found()).toEqual(expected);
  expect(await ledgerOf(shop)).toEqual(ledger);
  expect(peer.calls.slice(before).filter((call) => !call.startsWith("GET "))).toEqual([]);
});
