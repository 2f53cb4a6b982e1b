import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import * as keysRoute from "@/app/api/api-keys/route";
import { closePool, db, withTransaction } from "@/db/client";
import { expireLink, expireToken } from "@/lib/flows/expiry/steps";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { begin as beginToken } from "@/lib/flows/activation/steps";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { activationPage } from "@/lib/domain/tokenizations/page";
import { waysToPay } from "@/lib/flows/checkout/offers";
import { jsonCalls } from "@/lib/gateways/json-calls";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { call as callStripe } from "@/lib/gateways/stripe/client";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { newLink, newShop, paymentsOf, press } from "../money/setting";
import { as, call, signIn, someStaff } from "../staff/person";

afterAll(closePool);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const HOUR_MS = 3_600_000;
const startedAt = Date.now();
/** The clock of this process is wrong by so many hours; the database's is right. */
const wrongBy = (hours: number) =>
  vi.useFakeTimers({ toFake: ["Date"], now: startedAt + hours * HOUR_MS });
const endIn = (table: "payment_links" | "tokenizations", id: string, hours: number) =>
  db.execute(
    sql`update ${sql.identifier(table)} set expires_at = now() + make_interval(hours => ${hours}) where id = ${id}`,
  );
const token = { email: "a@example.com", title: "Gold", description: "Monthly" };

describe.each([-5, 5])("with the clock of the process wrong by %i hours", (hours) => {
  test("a link whose time is over takes no payer and expires", async () => {
    const shop = await newShop();
    const { _id } = await newLink(shop);
    await endIn("payment_links", _id, -1);
    wrongBy(hours);
    expect(await press(shop, _id)).toBeUndefined();
    expect(await withTransaction((tx) => expireLink(shop.ctx, tx, _id))).toBe(true);
  });

  test("a link whose time is not over does not expire and takes a payer", async () => {
    const shop = await newShop();
    const { _id } = await newLink(shop);
    await endIn("payment_links", _id, 1);
    wrongBy(hours);
    expect(await withTransaction((tx) => expireLink(shop.ctx, tx, _id))).toBe(false);
    expect(await press(shop, _id)).toBeDefined();
  });

  test("a token is judged by the same clock", async () => {
    const shop = await newShop();
    const [over, open] = [await createToken(shop.ctx, token), await createToken(shop.ctx, token)];
    await endIn("tokenizations", over._id, -1);
    await endIn("tokenizations", open._id, 1);
    wrongBy(hours);
    expect((await activationPage(over.token))?.kind).toBe("expired");
    expect((await activationPage(open.token))?.kind).toBe("activate");
    expect(await beginToken(over.token, "test")).toEqual({ kind: "show" });
    expect(await withTransaction((tx) => expireToken(shop.ctx, tx, over._id))).toBe(true);
    expect(await withTransaction((tx) => expireToken(shop.ctx, tx, open._id))).toBe(false);
    expect((await beginToken(open.token, "test"))?.kind).toBe("redirect");
  });

  test("a sign-in is a proof for ten minutes of the database's clock, and a session that is not remembered lasts for 12 hours", async () => {
    wrongBy(hours);
    const staff = await someStaff();
    await signIn(staff.email, { rememberMe: false });
    vi.useRealTimers();
    const makeLiveKey = async () =>
      (
        await call(keysRoute.POST, "/api-keys", {
          method: "POST",
          headers: as(staff, "live"),
          body: { name: "Web shop" },
        })
      ).status;
    expect(await makeLiveKey()).toBe(200);
    const { rows } = await db.execute<{ hours: number }>(
      sql`update auth_sessions set created_at = (select created_at - interval '11 minutes') where user_id = ${staff.userId}
        returning round(extract(epoch from expires_at - created_at) / 3600)::int as hours`,
    );
    expect(await makeLiveKey()).toBe(403);
    expect(Math.min(...rows.map((row) => row.hours))).toBe(12);
  });

  test("an attempt that the gateway does not know counts as absent after 15 minutes of the database's clock", async () => {
    const shop = await newShop();
    await press(shop, (await newLink(shop))._id);
    const id = (await paymentsOf(shop))[0]?.id ?? "";
    vi.spyOn(simulatorGateway, "find").mockResolvedValue({ kind: "nothing" });
    wrongBy(hours);
    const look = async () =>
      (await reconcile(shop.ctx, (await findPayment(shop.ctx, id)) as PaymentRow)).status;
    expect(await look()).toBe("requires_action");
    await db.execute(
      sql`update payments set started_at = now() - interval '16 minutes' where id = ${id}`,
    );
    expect(await look()).toBe("cancelled");
  });
});

describe("when the clock of the process is set back by an hour", () => {
  const setBack = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
  const nowhere = "http://127.0.0.1:1";

  test("a gateway that was in trouble is called again after seconds", async () => {
    const id = newId();
    const send = jsonCalls("The gateway");
    const ask = () => send(id, "asking", { base: nowhere, method: "GET", path: "/" });
    for (let failures = 0; failures < 5; failures++) await ask();
    setBack();
    expect(await ask()).toMatchObject({
      kind: "silent",
      reason: expect.stringMatching(/another [1-5] seconds/),
    });
  });

  test("so is Stripe", async () => {
    provideEnv({ STRIPE_API_URL: nowhere });
    const connection = { id: newId(), secret: "sk_test_clock" };
    const ask = () =>
      callStripe(connection, "asking", z.unknown(), (stripe) => stripe.balance.retrieve());
    for (let failures = 0; failures < 5; failures++) await ask();
    setBack();
    expect(await ask()).toMatchObject({
      ok: false,
      trouble: { reason: expect.stringMatching(/another [1-5] seconds/) },
    });
    provideEnv({ STRIPE_API_URL: "" });
  });

  test("a gateway is asked for its ways to pay again after three minutes", async () => {
    const { ctx } = await newShop();
    const offers = vi.spyOn(simulatorGateway, "offers");
    const ask = () => waysToPay(ctx, { amount: 1_250, currency: "MYR" });
    await ask();
    await ask();
    expect(offers).toHaveBeenCalledTimes(1);
    setBack();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 181_000);
    await ask();
    expect(offers).toHaveBeenCalledTimes(2);
  });
});
