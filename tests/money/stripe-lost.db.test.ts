import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { get as getToken } from "@/lib/domain/tokenizations/get";
import { begin as beginSaving } from "@/lib/flows/activation/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { charge } from "@/lib/flows/charge/steps";
import { create } from "@/lib/domain/payment-links/create";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { newIdOf, now as seconds } from "../stripe-peer/objects";
import { runningPeer } from "../stripe-peer/running";
import {
  atStripe,
  callBack,
  eventsOf,
  newStripeShop,
  paymentsOf,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";

const peer = runningPeer();

afterEach(() => {
  vi.restoreAllMocks();
  peer.trouble = null;
});
afterAll(closePool);

let shop: StripeShop;
beforeEach(async () => {
  shop = await newStripeShop(peer);
});

const now = async (id: string) => (await findPayment(shop.ctx, id)) as PaymentRow;
const look = async (id: string) => reconcile(shop.ctx, await now(id));
const callsOf = (operation: string) => peer.calls.filter((call) => call === operation).length;
const age = (id: string, minutes: number) =>
  db.execute(
    sql`update payments set started_at = (select started_at - make_interval(mins => ${minutes})) where id = ${id}`,
  );
const money = { amount: 700, currency: "MYR", title: "Membership" };

/** Charges a saved method and loses Stripe's answer. Returns the payment's id. */
async function lost(): Promise<string> {
  const token = await savedAtStripe(shop);
  peer.lose("POST /v1/payment_intents");
  const { _id, status } = await charge(shop.ctx, token, money);
  expect(status).toBe("unknown");
  return _id;
}

/** Adds payments of other programs to the account: more than a walk through the list can reach. */
function traffic(created: number): void {
  const count = 10_050;
  const [like] = shop.bank.intents;
  if (!like) throw new Error("nothing was charged");
  shop.bank.intents.unshift(
    ...Array.from({ length: count }, () => ({
      ...like,
      id: newIdOf("pi"),
      created,
      metadata: {},
      status: "canceled" as const,
      latest_charge: null,
    })),
  );
}

/** Adds pages of other programs to the account: as many. */
function pageTraffic(): void {
  const [like] = shop.bank.sessions;
  if (!like) throw new Error("no page was opened");
  shop.bank.sessions.unshift(
    ...Array.from({ length: 10_050 }, () => ({
      ...like,
      id: newIdOf("cs_test"),
      created: seconds(),
      client_reference_id: null,
    })),
  );
}

/** Each call to Stripe takes this long, by the clock that limits are measured with. */
function slowCalls(ms: number): void {
  const now = performance.now.bind(performance);
  const before = peer.calls.length;
  vi.spyOn(performance, "now").mockImplementation(() => now() + (peer.calls.length - before) * ms);
}

describe("a payment of which the answer was lost", () => {
  test("is found in one page of the list, also after 10,000 newer payments", async () => {
    const id = await lost();
    await age(id, 180);
    for (const intent of shop.bank.intents) intent.created -= 180 * 60;
    traffic(seconds());
    const before = callsOf("GET /v1/payment_intents");
    expect((await look(id)).status).toBe("succeeded");
    expect(callsOf("GET /v1/payment_intents") - before).toBe(1);
  });

  test("is found also where more pages were opened meanwhile than a walk can reach", async () => {
    const id = await lost();
    await age(id, 20);
    for (const intent of shop.bank.intents) intent.created -= 20 * 60;
    pageTraffic();
    for (const session of shop.bank.sessions) session.created -= 20 * 60;
    expect((await look(id)).status).toBe("succeeded");
  });

  test("stays unknown while Stripe is slow, and no list is read after our own answer", async () => {
    const id = await lost();
    await age(id, 20);
    traffic(seconds() - 20 * 60);
    const before = peer.calls.length;
    slowCalls(1_000);
    expect((await look(id)).status).toBe("unknown");
    // 30 seconds, and one page of each list that was asked for before.
    expect(peer.calls.length - before).toBeLessThanOrEqual(32);
  });

  test("is sent again under its recent key when too many payments were made at the same moment", async () => {
    const id = await lost();
    traffic(seconds());
    expect((await look(id)).status).toBe("succeeded");
    expect(shop.bank.intents.filter(({ status }) => status === "succeeded")).toHaveLength(1);
  });

  test("stays unknown once the key is old, until a callback names its charge and the charge matches", async () => {
    const id = await lost();
    const { body = "" } =
      shop.bank.events.findLast(({ type }) => type === "payment_intent.succeeded") ?? {};
    await age(id, 20);
    traffic(seconds());
    expect(await look(id)).toMatchObject({ status: "unknown", gatewayId: null });
    await callBack(
      shop,
      body
        .replace(/"evt_[0-9a-f]+"/, '"evt_otherone"')
        .replace(
          /"object":\{"object":"payment_intent","id":"pi_[0-9a-f]+"/,
          `"object":{"object":"payment_intent","id":"${shop.bank.intents[0]?.id}"`,
        ),
    );
    expect((await now(id)).status).toBe("unknown");
    await callBack(shop, body);
    await callBack(shop, body);
    expect((await now(id)).status).toBe("succeeded");
    expect(await eventsOf(shop, "payment.succeeded")).toBe(1);
  });

  test("on a hosted page ends after half an hour, since no payer has its address, and the link can be paid", async () => {
    await charge(shop.ctx, await savedAtStripe(shop), money);
    const link = await create(shop.ctx, {
      email: "payer@example.com",
      ...money,
      send_email: false,
    });
    peer.lose("POST /v1/checkout/sessions");
    expect((await begin(shop.ctx, link._id, 1)).kind).toBe("no_answer");
    const payment = (await paymentsOf(shop)).find((one) => one.paymentLinkId === link._id);
    if (!payment) throw new Error("nothing was begun");
    await age(payment.id, 29);
    traffic(seconds() - 29 * 60);
    expect((await look(payment.id)).status).not.toBe("cancelled");
    await age(payment.id, 2);
    expect(await look(payment.id)).toMatchObject({ status: "cancelled", flags: [] });
    expect((await begin(shop.ctx, link._id, 1)).kind).toBe("redirect");
  });

  test("on a hosted page is settled by a callback, but not before the page is complete", async () => {
    const link = await create(shop.ctx, {
      email: "payer@example.com",
      ...money,
      send_email: false,
    });
    peer.lose("POST /v1/checkout/sessions");
    expect((await begin(shop.ctx, link._id, 1)).kind).toBe("no_answer");
    const [payment] = await paymentsOf(shop);
    const [session] = shop.bank.sessions;
    if (!payment || !session) throw new Error("nothing was begun");
    // A card was declined on the page, and the payer may try another there.
    shop.bank.press(session.id, "decline");
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect(await now(payment.id)).toMatchObject({
      status: "requires_action",
      gatewayId: session.id,
    });
    shop.bank.press(session.id, "approve");
    for (const { body } of shop.bank.events) await callBack(shop, body);
    expect((await now(payment.id)).status).toBe("succeeded");
  });
});

test("a repeated charge has the same parameters, with the business's own reference", async () => {
  const token = await savedAtStripe(shop);
  peer.lose("POST /v1/payment_intents");
  const { _id: id } = await charge(shop.ctx, token, { ...money, reference: "INV-1042" });
  traffic(seconds());
  expect((await look(id)).status).toBe("succeeded");
  expect(shop.bank.intents.find(({ status }) => status === "succeeded")?.metadata).toEqual({
    kutip_attempt: id,
    kutip_reference: "INV-1042",
    kutip_tokenization: (await now(id)).tokenizationId,
  });
});

test("a charge that never arrived is sent again hours later, and the repeat is found when its answer is lost", async () => {
  const token = await savedAtStripe(shop);
  peer.trouble = { status: 500, body: "oops" };
  const { _id: id } = await charge(shop.ctx, token, money);
  peer.trouble = null;
  await age(id, 26 * 60);
  peer.lose("POST /v1/payment_intents");
  expect((await look(id)).status).toBe("unknown");
  await age(id, 20);
  const sent = callsOf("POST /v1/payment_intents");
  expect((await look(id)).status).toBe("succeeded");
  expect(callsOf("POST /v1/payment_intents")).toBe(sent);
  expect(shop.bank.intents).toHaveLength(1);
});

test.each([
  ["HTML", "<html>not found</html>"],
  ["a text as its error", '{"error":"Not Found"}'],
  ["an error without a type", '{"error":{"message":"no route matched"}}'],
])("a 404 of a proxy, with %s, ends no attempt and forgets no customer", async (_what, body) => {
  const { payment, session } = await atStripe(shop);
  await age(payment.id, 16);
  peer.trouble = { status: 404, body };
  expect((await look(payment.id)).status).toBe("unknown");
  const { gateway, connection } = await resolveGateway(shop.ctx);
  expect(await gateway.forgetCustomer(connection, "cus_1:pm_1")).toMatchObject({
    kind: "unknown",
    reason: expect.stringMatching(/\S/),
  });
  peer.trouble = null;
  shop.bank.press(session, "approve");
  expect((await look(payment.id)).status).toBe("succeeded");
});

test("a card that was saved in an attempt that has ended here is found however long its token was there before", async () => {
  const { _id, token } = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  const begun = await beginSaving(token, "stripe-test");
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  shop.bank.press(begun.url.split("/").at(-1) ?? "", "approve");
  await db.execute(
    sql`update tokenizations set attempt_at = null, attempt_url = null, attempt_gateway_id = null, next_check_at = null, created_at = (select created_at - interval '5 hours') where id = ${_id}`,
  );
  const report = shop.bank.events.find((event) => event.type === "setup_intent.succeeded");
  await callBack(shop, report?.body ?? "");
  expect(await getToken(shop.ctx, token)).toMatchObject({ status: "active" });
});
