import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { receiveCallback } from "@/lib/http/callback";
import { signed } from "../stripe-peer/peer";
import { runningPeer } from "../stripe-peer/running";
import { callbacksOf, newStripeShop, type StripeShop } from "./stripe-setting";

const peer = runningPeer();
let shop: StripeShop;
beforeAll(async () => {
  shop = await newStripeShop(peer);
});
afterAll(closePool);

const fresh = () => `evt_${randomBytes(9).toString("hex")}`;
type Fields = Record<string, unknown>;
const event = (over: Fields = {}, object: Fields = {}) => ({
  id: fresh(),
  object: "event",
  type: "payment_intent.succeeded",
  livemode: false,
  account: null,
  data: {
    object: {
      id: "pi_1",
      object: "payment_intent",
      amount: 1_250,
      currency: "myr",
      metadata: {},
      ...object,
    },
  },
  ...over,
});

/** Sends a body, signed with the account's own secret. Returns the status. */
async function send(body: string, connectionId = shop.connectionId): Promise<number> {
  const request = new Request(`http://localhost:3000/api/gateways/stripe/callback/x`, {
    method: "POST",
    headers: { "stripe-signature": signed(body, shop.webhookSecret) },
    body,
  });
  const params = { gateway: "stripe", connection_id: connectionId };
  return (await receiveCallback(request, { params })).status;
}

test("an ordinary event is accepted", async () => {
  expect(await send(JSON.stringify(event()))).toBe(200);
});

describe.each([
  ["NUL", "evt_\0x"],
  ["a line feed", "evt_\nx"],
  ["a lone surrogate", "evt_\ud800"],
  ["a lone low surrogate", "\udc00evt"],
  ["256 characters", `evt_${"x".repeat(252)}`],
  ["100,000 characters", `evt_${"x".repeat(100_000)}`],
])("a text with %s in a correctly signed event", (_, text) => {
  test("is refused and not stored as the event's id", async () => {
    const before = (await callbacksOf(shop)).length;
    expect(await send(JSON.stringify(event({ id: text })))).toBe(400);
    expect((await callbacksOf(shop)).length).toBe(before);
  });
  test.each([
    ["type", { type: text }, {}],
    ["account", { account: text }, {}],
    ["the object's id", {}, { id: text }],
    ["our reference", {}, { metadata: { kutip_attempt: text } }],
    ["client_reference_id", {}, { object: "checkout.session", client_reference_id: text }],
    ["payment_intent", {}, { object: "charge", payment_intent: text }],
    ["currency", {}, { currency: text }],
    ["payment_status", {}, { object: "checkout.session", payment_status: text }],
  ])("is a 200 or 4xx as %s", async (__, over, object) => {
    expect(await send(JSON.stringify(event(over, object)))).toBeLessThan(500);
  });
});

test("every correctly signed event is a 200 or 4xx", async () => {
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: "binary" }),
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.constantFrom("\0", "\ud800", "x".repeat(3_000), Number.MAX_SAFE_INTEGER, -1, 1e300, ""),
  );
  const own = fc.dictionary(fc.constantFrom("id", "type", "livemode", "account", "object"), value, {
    maxKeys: 3,
  });
  const inner = fc.dictionary(
    fc.constantFrom(
      ...["id", "object", "metadata", "client_reference_id", "payment_intent", "charge"],
      ...["amount", "amount_total", "currency", "mode", "payment_status"],
    ),
    value,
    { maxKeys: 4 },
  );
  await fc.assert(
    fc.asyncProperty(own, inner, async (over, object) => {
      expect(await send(JSON.stringify(event(over, object)))).toBeLessThan(500);
    }),
    {
      numRuns: 120,
      examples: [
        [{ type: "__proto__" }, {}],
        [{ type: "constructor" }, {}],
        [{ type: "toString" }, {}],
      ],
    },
  );
});

test.each(["\0", "9f2c\0", "x".repeat(5_000), "9F2C4B0DE1A75C38B6F04A2E7D915C30", "\ud800"])(
  "an unknown connection id is a 404: %j",
  async (connectionId) => {
    expect(await send(JSON.stringify(event()), connectionId)).toBe(404);
  },
);
