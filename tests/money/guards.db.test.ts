import { sql } from "drizzle-orm";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import type { Claim, Ctx } from "@/lib/domain/context";
import { claimKey } from "@/lib/domain/idempotency/claim";
import { balance } from "@/lib/domain/ledger/balance";
import { create as createLink } from "@/lib/domain/payment-links/create";
import {
  changePayment,
  findPayment,
  openPayments,
  type PaymentRow,
} from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { returnFrom } from "@/lib/flows/checkout/return";
import { renewal } from "@/lib/flows/renewal/job";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { pressButton } from "@/lib/gateways/simulator/page";
import { assertBooksAgree, newLink, newShop, paymentsOf, press, type Shop } from "./setting";
import { saveMethod, subscribe } from "./subscription-setting";
import { claimOf, runOnce } from "../run-once";

/** What a test does between a transaction and the step that follows it. */
const between = vi.hoisted(() => ({
  hook: undefined as undefined | ((result: unknown) => unknown),
}));
vi.mock("@/db/client", async (original) => {
  const client = await original<typeof import("@/db/client")>();
  return {
    ...client,
    withTransaction: async (body: Parameters<typeof client.withTransaction>[0]) => {
      const result = await client.withTransaction(body);
      await between.hook?.(result);
      return result;
    },
  };
});

afterAll(closePool);
afterEach(() => {
  between.hook = undefined;
  vi.restoreAllMocks();
});

const now = async (ctx: Ctx, id: string) => (await findPayment(ctx, id)) as PaymentRow;
const age = (id: string, minutes: number) =>
  db.execute(
    sql`update payments set started_at = now() - make_interval(secs => ${minutes * 60}) where id = ${id}`,
  );

/** An attempt on a hosted page, and the gateway that says it has none. */
async function unseen(shop: Shop): Promise<PaymentRow> {
  const link = await newLink(shop);
  await press(shop, link._id);
  const [payment] = await paymentsOf(shop);
  vi.spyOn(simulatorGateway, "find").mockResolvedValue({ kind: "nothing" });
  return payment as PaymentRow;
}

test("an attempt that the gateway does not know counts as absent from 15 minutes on, not before", async () => {
  const shop = await newShop();
  const { id } = await unseen(shop);
  for (const minutes of [0, 1, 14.5]) {
    await age(id, minutes);
    expect((await reconcile(shop.ctx, await now(shop.ctx, id))).status).toBe("requires_action");
  }
  vi.mocked(simulatorGateway.find).mockResolvedValue({
    kind: "succeeded",
    gatewayId: "late",
    amount: 1_250,
    currency: "MYR",
    fee: 0,
  });
  for (let round = 0; round < 2; round++)
    expect((await reconcile(shop.ctx, await now(shop.ctx, id))).status).toBe("succeeded");
  const { currencies } = await balance(shop.ctx, {});
  expect(currencies).toMatchObject([{ currency: "MYR" }]);

  const other = await newShop();
  const old = await unseen(other);
  await age(old.id, 15.1);
  expect((await reconcile(other.ctx, await now(other.ctx, old.id))).status).toBe("cancelled");
});

test("a look that began before the payer's page was opened takes nothing of it back", async () => {
  const shop = await newShop();
  const attempt = await unseen(shop);
  await age(attempt.id, 16);
  const asRead = { ...(await now(shop.ctx, attempt.id)), gatewayId: null };
  expect(await reconcile(shop.ctx, asRead)).toMatchObject({
    status: "requires_action",
    gatewayId: attempt.gatewayId,
  });
});

test("a run whose idempotency key was taken over makes nothing", async () => {
  const shop = await newShop();
  const input = { email: "a@example.com", currency: "MYR", amount: 500, title: "One" };
  const claim = async () =>
    (await claimKey(shop.ctx, "stalled", "POST", "/payment-links", "{}")) as Claim;
  const first = await claim();
  await db.execute(
    sql`update idempotency_keys set locked_until = now() where business_id = ${shop.ctx.businessId}`,
  );
  const second = await claim();
  const made = await createLink({ ...shop.ctx, claim: second }, input);
  await expect(createLink({ ...shop.ctx, claim: first }, input)).rejects.toMatchObject({
    status: 409,
    code: "idempotency_in_progress",
  });
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payment_links where business_id = ${shop.ctx.businessId}`,
  );
  expect(rows).toEqual([{ id: made._id }]);
});

test("a fee is booked in the currency in which the gateway takes it", async () => {
  const shop = await newShop();
  const link = await newLink(shop);
  await press(shop, link._id);
  const [payment] = await paymentsOf(shop);
  await settle(shop.ctx, payment?.id ?? "", {
    kind: "succeeded",
    gatewayId: "g",
    amount: 1_250,
    currency: "MYR",
    fee: 40,
    feeCurrency: "USD",
  });
  const { rows } = await db.execute<{ kind: string; account: string; currency: string; n: number }>(
    sql`select kind, account, currency, sum(amount)::int as n from ledger_entries
        where business_id = ${shop.ctx.businessId} group by 1, 2, 3 order by 1, 2`,
  );
  expect(rows).toEqual([
    { kind: "fee", account: "fees", currency: "USD", n: 40 },
    { kind: "fee", account: "gateway", currency: "USD", n: -40 },
    { kind: "gross", account: "gateway", currency: "MYR", n: 1_250 },
    { kind: "gross", account: "sales", currency: "MYR", n: -1_250 },
  ]);
  const { currencies } = await balance(shop.ctx, {});
  expect(currencies.map(({ currency }) => currency).sort()).toEqual(["MYR", "USD"]);
});

test("a fee that comes after the last look for it counts in what is left of the payment, once", async () => {
  const shop = await newShop();
  await press(shop, (await newLink(shop))._id);
  const [{ id }] = (await paymentsOf(shop)) as [PaymentRow];
  const paid = { kind: "succeeded", gatewayId: "g", amount: 1_250, currency: "MYR" } as const;
  await settle(shop.ctx, id, { ...paid, fee: null });
  await db.execute(sql`update payments set next_check_at = null where id = ${id}`);
  for (const answered of [40, 40, null]) {
    expect((await settle(shop.ctx, id, { ...paid, fee: answered })).net).toBe(1_210);
    expect((await now(shop.ctx, id)).net).toBe(1_210);
  }
  const { currencies } = await balance(shop.ctx, {});
  expect(currencies).toMatchObject([{ currency: "MYR", fees: 40 }]);
});

test("a payment that another worker holds is claimed when its lease is over, once and with a higher fence", async () => {
  const shop = await newShop();
  await press(shop, (await newLink(shop))._id);
  const [payment] = await paymentsOf(shop);
  const id = payment?.id ?? "";
  // Due for longer than anything else, so that it is among the first.
  const lease = (seconds: number) =>
    db.execute(
      sql`update payments set next_check_at = 'epoch', leased_until = now() + make_interval(secs => ${seconds}) where id = ${id}`,
    );
  const claimed = async () =>
    (await claimOf(openPayments, shop.ctx.businessId)).filter((row) => row.id === id);
  await lease(60);
  expect(await claimed()).toEqual([]);
  const before = (await now(shop.ctx, id)).fence;
  await lease(-1);
  const [mine, ...more] = (await Promise.all([claimed(), claimed(), claimed()])).flat();
  expect(more).toEqual([]);
  expect(mine?.fence).toBe(before + 1);
  expect(await claimed()).toEqual([]);
});

test.each([
  ["cancelled", (shop: Shop, id: string) => update(shop.ctx, id, { status: "cancel" })],
  ["deleted", (shop: Shop, id: string) => remove(shop.ctx, id)],
] as const)(
  "a renewal that was written down is not sent once its subscription is %s",
  async (_, end) => {
    const shop = await newShop();
    await saveMethod(shop);
    const subscription = await subscribe(shop);
    const charge = vi.spyOn(simulatorGateway, "charge");
    let ended = 0;
    between.hook = async (result) => {
      const [next] = [result].flat() as ({ charge?: { payment: PaymentRow } } | undefined)[];
      if (next?.charge?.payment.subscriptionId !== subscription._id) return;
      between.hook = undefined;
      ended++;
      await end(shop, subscription._id);
    };
    await runOnce(renewal, shop.ctx.businessId);
    expect(ended).toBe(1);
    expect(charge).not.toHaveBeenCalled();
    await assertBooksAgree(shop);
  },
);

test("a payment that has changed since it was read is not changed again", async () => {
  const shop = await newShop();
  await press(shop, (await newLink(shop))._id);
  const [read] = (await paymentsOf(shop)) as [PaymentRow];
  await db.execute(sql`update payments set status = 'cancelled' where id = ${read.id}`);
  await expect(
    withTransaction((tx) => changePayment(shop.ctx, tx, read, { status: "succeeded" })),
  ).rejects.toThrow("a locked payment has changed");
  expect((await now(shop.ctx, read.id)).status).toBe("cancelled");
});

test("a subscription never charges a method that belongs to another address", async () => {
  const shop = await newShop();
  await saveMethod(shop);
  const { _id } = await subscribe(shop);
  await db.execute(sql`update subscriptions set email = 'else@example.com' where id = ${_id}`);
  const charge = vi.spyOn(simulatorGateway, "charge");
  await runOnce(renewal, shop.ctx.businessId);
  expect(charge).not.toHaveBeenCalled();
  expect((await get(shop.ctx, _id)).payment_links).toMatchObject([{ paid: false }]);
});

test("a payer who returns before the gateway has decided is sent on as pending, not as paid", async () => {
  const shop = await newShop();
  const link = await createLink(shop.ctx, {
    email: "payer@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Satay for two",
    redirect_url: "https://shop.example/done",
    send_email: false,
  });
  const session = (await press(shop, link._id)) ?? "";
  await pressButton(session, "approve_later", "1");
  const [payment] = (await paymentsOf(shop)) as [PaymentRow];
  const { searchParams } = new URL(await returnFrom(shop.ctx, payment));
  expect(searchParams.get("payment_status")).toBe("2");
  expect(searchParams.get("payment_message")).not.toBe("Paid");
  expect((await now(shop.ctx, payment.id)).status).toBe("pending");
});
