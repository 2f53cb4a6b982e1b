import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "@/tests/stripe-peer/running";
import { parseForm, wrongRequest } from "@/tests/stripe-peer/schema";
import { gatewayContract } from "../contract";
import type { Connection } from "../gateway";
import { stripeGateway as gateway } from "./adapter";
import { asked, connect, stripeHarness } from "@/tests/stripe-peer/harness";
import { attemptKey } from "./shapes";

const peer = runningPeer();

const { harness, bankOf, intentOf, headersOf } = stripeHarness(peer);

gatewayContract("stripe, against a test server", harness);

test.each([
  ["POST /v1/checkout/sessions", "mode=payment&success_url=https://a.example", null],
  ["POST /v1/checkout/sessions", "mode=payment", "success_url"],
  ["POST /v1/checkout/sessions", "mode=payments&success_url=https://a.example", "mode"],
  ["POST /v1/checkout/sessions", "mode=payment&success_url=https://a.example&colour=red", "colour"],
  [
    "POST /v1/checkout/sessions",
    "mode=payment&success_url=https://a.example&line_items[0][price_data][price]=5",
    "price_data",
  ],
  ["POST /v1/refunds", "amount=5.5", "amount"],
  ["GET /v1/refunds", "search=x", "search"],
  ["DELETE /v1/refunds", "", "Unrecognized"],
])("the test server checks %s with %s against the OpenAPI document", (operation, form, problem) => {
  const wrong = wrongRequest(operation, parseForm(form));
  if (problem === null) expect(wrong).toBeNull();
  else expect(wrong).toContain(problem);
});

describe("when Stripe has trouble", () => {
  let connection: Connection;
  beforeEach(async () => {
    connection = await connect();
    peer.trouble = null;
  });

  test.each([
    ["a page of HTML", 200, "<html>maintenance</html>"],
    ["an error of its own", 500, '{"error":{"type":"api_error","message":"oops"}}'],
    ["an empty object", 200, "{}"],
    ["another object", 200, '{"object":"customer","id":"cus_1"}'],
    ["a malformed list", 200, '{"object":"list","data":[{"id":7}],"has_more":false}'],
    ["nothing", 204, ""],
    [
      "a key that is refused",
      401,
      '{"error":{"type":"invalid_request_error","message":"Invalid API Key"}}',
    ],
  ])("%s as an answer is unknown", async (_name, status, body) => {
    const methodId = await harness.saveMethod(connection, "works");
    peer.trouble = { status, body };
    expect((await gateway.beginPayment(connection, asked())).kind).toBe("unknown");
    expect((await gateway.charge(connection, { ...asked(), methodId })).kind).toBe("unknown");
    expect((await gateway.find(connection, newId())).kind).toBe("unknown");
    expect(
      (
        await gateway.refund(connection, {
          key: newId(),
          reference: newId(),
          amount: 100,
          currency: "MYR",
        })
      ).kind,
    ).toBe("unknown");
    peer.trouble = null;
  });

  test("five failures stop calls to this account for a while, and to no other", async () => {
    peer.trouble = { status: 500, body: '{"error":{"type":"api_error","message":"oops"}}' };
    for (let tries = 0; tries < 5; tries++) await gateway.find(connection, newId());
    peer.trouble = null;
    const calls = peer.calls.length;
    expect(await gateway.find(connection, newId())).toMatchObject({
      kind: "unknown",
      reason: expect.stringContaining("trouble"),
    });
    expect(peer.calls.length).toBe(calls);
    expect((await gateway.find(await connect(), newId())).kind).toBe("nothing");
  });

  test("no call is sent before Retry-After has passed", async () => {
    peer.trouble = {
      status: 429,
      body: '{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Too many"}}',
      headers: { "retry-after": "60" },
    };
    await gateway.find(connection, newId());
    peer.trouble = null;
    expect(await gateway.find(connection, newId())).toMatchObject({
      kind: "unknown",
      reason: expect.stringMatching(/60 seconds|59 seconds/),
    });
  });
});

describe("what only Stripe does", () => {
  test("a charge that waits for the payer is cancelled at Stripe before it counts as failed", async () => {
    const connection = await connect();
    const { id, customer } = bankOf(connection).saveMethod("action");
    const request = asked();
    expect(
      await gateway.charge(connection, { ...request, methodId: `${customer}:${id}` }),
    ).toMatchObject({ kind: "failed", decline: "needs_payer" });
    expect(intentOf(connection, request.reference)?.status).toBe("canceled");
    expect(await gateway.find(connection, request.reference)).toMatchObject({
      kind: "failed",
      decline: "needs_payer",
    });
  });

  test("walking the list finds an attempt among hundreds, and proves that another is absent", async () => {
    const connection = await connect();
    const request = asked();
    await gateway.beginPayment(connection, request);
    await Promise.all(Array.from({ length: 240 }, () => gateway.beginPayment(connection, asked())));
    expect((await gateway.find(connection, request.reference)).kind).toBe("open");
    expect((await gateway.find(connection, newId())).kind).toBe("nothing");
  });

  test.each([
    ["JPY", 500, 500],
    ["ISK", 500, 50_000],
    ["UGX", 700, 70_000],
    ["MGA", 500, 5],
    ["KWD", 12_340, 12_340],
    ["MYR", 12_345, 12_345],
    ["UGX", 999_999, 99_999_900],
    ["ISK", 999_999, 99_999_900],
    ["MYR", 3_000_000, 3_000_000],
  ])("%s %i is sent as %i and returned as it was", async (currency, amount, sent) => {
    const connection = await connect();
    const request = asked({ currency, amount });
    const answer = await gateway.beginPayment(connection, request);
    expect(bankOf(connection).sessions[0]).toMatchObject({
      amount_total: sent,
      currency: currency.toLowerCase(),
    });
    if (answer.kind === "redirect") await harness.press(answer.url, "approve");
    expect(await gateway.find(connection, request.reference)).toMatchObject({
      kind: "succeeded",
      amount,
      currency,
    });
    expect(gateway.validateAmount({ amount, currency })).toBeNull();
  });

  test("page, payment and charge hold the business's reference beside the attempt's id, cut to Stripe's limit", async () => {
    const connection = await connect();
    const long = `INV-${"9".repeat(495)}\u{1F600}`;
    for (const ownReference of ["INV-1042", long]) {
      const request = asked({ ownReference });
      const answer = await gateway.beginPayment(connection, request);
      if (answer.kind === "redirect") await harness.press(answer.url, "approve");
      const names = {
        [attemptKey]: request.reference,
        kutip_reference:
          ownReference === long ? expect.stringMatching(/^INV-9{495}.$/u) : ownReference,
      };
      expect(bankOf(connection).sessions[0]?.metadata).toEqual(names);
      expect(intentOf(connection, request.reference)?.metadata).toEqual(names);
      const charge = asked({ ownReference });
      await gateway.charge(connection, {
        ...charge,
        methodId: await harness.saveMethod(connection, "works"),
      });
      expect(intentOf(connection, charge.reference)?.metadata).toEqual({
        ...names,
        [attemptKey]: charge.reference,
      });
    }
    const plain = asked();
    await gateway.beginPayment(connection, plain);
    expect(bankOf(connection).sessions[0]?.metadata).toEqual({ [attemptKey]: plain.reference });
  });

  test.each([
    ["KWD", 12_345, "multiple"],
    ["MGA", 550, "multiple"],
    ["UGX", 1_000_000, "greater than 999999 in UGX"],
    ["ISK", 3_000_000, "greater than 999999 in ISK"],
  ])("%s %i is refused with a reason, and nothing is sent", async (currency, amount, words) => {
    const connection = await connect();
    const calls = peer.calls.length;
    expect(gateway.validateAmount({ amount, currency })).toContain(words);
    expect((await gateway.beginPayment(connection, asked({ currency, amount }))).kind).toBe(
      "refused",
    );
    expect(peer.calls.length).toBe(calls);
  });

  test("without a callback secret no callback is accepted, and a byte order mark breaks the signature", async () => {
    const connection = await connect();
    const request = asked();
    const answer = await gateway.beginPayment(connection, request);
    if (answer.kind === "redirect") await harness.press(answer.url, "approve");
    const sent = (await harness.callbacks(connection)).at(-1);
    if (!sent) throw new Error("nothing was sent");
    expect(await gateway.verifyCallback(connection, sent.raw, sent.headers)).toMatchObject({
      claims: { mode: "test", account: null },
    });
    for (const callbackSecret of ["", null, "  "])
      expect(
        await gateway.verifyCallback(
          { ...connection, callbackSecret },
          sent.raw,
          headersOf({ ...connection, callbackSecret: "" }, "{}"),
        ),
      ).toBeNull();
    const marked = Uint8Array.from([0xef, 0xbb, 0xbf, ...sent.raw]);
    expect(await gateway.verifyCallback(connection, marked, sent.headers)).toBeNull();
  });
});
