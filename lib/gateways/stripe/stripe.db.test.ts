import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { signed } from "@/tests/stripe-peer/peer";
import { runningPeer } from "@/tests/stripe-peer/running";
import { parseForm, wrongRequest } from "@/tests/stripe-peer/schema";
import { gatewayContract } from "../contract";
import { type GatewayHarness, withHeader } from "../contract-harness";
import { payer } from "../contract-requests";
import type { BeginPayment, Connection } from "../gateway";
import { stripeGateway as gateway } from "./adapter";
import { attemptKey } from "./shapes";

const peer = runningPeer();

const connect = async (): Promise<Connection> => ({
  id: newId(),
  businessId: 1,
  mode: "test",
  secret: `sk_test_${newId()}`,
  callbackSecret: `whsec_${newId()}`,
});
const bankOf = ({ secret }: Connection) => peer.bank(secret);
const sessionId = (url: string) => url.split("/").at(-1) ?? "";
const operations = {
  begin: "POST /v1/checkout/sessions",
  charge: "POST /v1/payment_intents",
  refund: "POST /v1/refunds",
};
const intentOf = (connection: Connection, reference: string) =>
  bankOf(connection).intents.find((intent) => intent.metadata[attemptKey] === reference);
const headersOf = ({ callbackSecret }: Connection, body: string, at?: number) =>
  new Headers({ "stripe-signature": signed(body, callbackSecret ?? "", at) });

const harness: GatewayHarness = {
  gateway,
  scripted: true,
  afterDecline: "open",
  behaviours: ["works", "soft", "hard", "needs_payer", "pending"],
  connect,
  press: async (url, outcome) => {
    const id = sessionId(url);
    await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ outcome: outcome === "lose_answer" ? "approve" : outcome }),
      redirect: "manual",
    });
    if (outcome === "lose_answer") peer.lose("GET /v1/checkout/sessions/{session}", 2);
    expect(id).toMatch(/^cs_test_/);
  },
  saveMethod: async (connection, behaviour) => {
    const { id, customer } = bankOf(connection).saveMethod(behaviour);
    return `${customer}:${id}`;
  },
  loseAnswer: async (_connection, verb) => peer.lose(operations[verb]),
  nextRefund: async (connection, outcome) => {
    bankOf(connection).nextRefund = outcome;
  },
  settle: async (connection) => bankOf(connection).settle(),
  callbacks: async (connection) =>
    bankOf(connection).events.map(({ body }) => ({
      raw: new TextEncoder().encode(body),
      headers: headersOf(connection, body),
    })),
  signedAt: (connection, raw, at) => ({
    raw,
    headers: headersOf(connection, new TextDecoder().decode(raw), at),
  }),
  withSignature: (sent, change) => withHeader(sent, "stripe-signature", change),
  refunds: true,
  outside: {
    refund: async (connection, reference, amount) =>
      void bankOf(connection).refund(intentOf(connection, reference)?.id ?? "", amount, {}),
    dispute: async (connection, reference, outcome) => {
      const dispute = bankOf(connection).dispute(intentOf(connection, reference)?.id ?? "");
      if (outcome !== "open") bankOf(connection).closeDispute(dispute, outcome);
    },
  },
  books: async (connection, reference) => {
    const { intents, refunds } = bankOf(connection);
    const own = intents.filter((intent) => intent.metadata[attemptKey] === reference);
    return {
      taken: own.flatMap(({ attempts }) =>
        attempts.filter(({ paid }) => paid).map(({ amount }) => amount),
      ),
      givenBack: refunds
        .filter(
          ({ payment_intent, status }) =>
            status === "succeeded" && own.some(({ id }) => id === payment_intent),
        )
        .map(({ amount }) => amount)
        .reverse(),
    };
  },
};

gatewayContract("stripe, against a test server", harness);

test("every request and every object of the test server matches Stripe's OpenAPI document", () => {
  expect(peer.calls.length).toBeGreaterThan(100);
  expect(peer.problems).toEqual([]);
});

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

const asked = (change: Partial<BeginPayment> = {}): BeginPayment => {
  const id = newId();
  return {
    key: id,
    reference: id,
    payer,
    title: "Annual dinner",
    amount: 1_000,
    currency: "MYR",
    returnUrl: "https://shop.example/r",
    cancelUrl: "https://shop.example/c",
    expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
    ...change,
  };
};

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
  test("the page gets the payer's address, and Stripe refuses none of its parameters", async () => {
    const connection = await connect();
    await gateway.beginPayment(connection, asked());
    await gateway.saveMethod(connection, asked());
    expect(bankOf(connection).sessions.map(({ customer_email }) => customer_email)).toEqual([
      payer.email,
      payer.email,
    ]);
  });

  test("an address that Stripe does not take is left out, and the page opens all the same", async () => {
    const connection = await connect();
    const request = asked({ payer: { ...payer, email: "józef@example.com" } });
    const answer = await gateway.beginPayment(connection, request);
    expect(answer.kind).toBe("redirect");
    expect(bankOf(connection).sessions.map(({ customer_email }) => customer_email)).toEqual([null]);
    expect(await gateway.beginPayment(connection, request)).toEqual(answer);
  });

  test("a renewal is charged as one of a series, and a charge by staff is not", async () => {
    const connection = await connect();
    const methodId = await harness.saveMethod(connection, "works");
    await gateway.charge(connection, { ...asked(), methodId, subscriptionId: newId() });
    await gateway.charge(connection, { ...asked(), methodId });
    expect(bankOf(connection).intents.map(({ offSession }) => offSession)).toEqual([
      "true",
      "recurring",
    ]);
  });

  test.each(["THB", "MXN", "CZK", "HUF"])(
    "the test server and the table agree on the least of %s",
    async (currency) => {
      const connection = await connect();
      const amount = gateway.minimums[currency] ?? 0;
      expect((await gateway.beginPayment(connection, asked({ currency, amount }))).kind).toBe(
        "redirect",
      );
      expect(
        await gateway.beginPayment(connection, asked({ currency, amount: amount - 1 })),
      ).toMatchObject({ kind: "refused", tooSmall: true });
    },
  );

  test("an amount that is too small for the account is refused in plain words, for a page and for a charge", async () => {
    const connection = await connect();
    bankOf(connection).smallest = 2_000;
    const words = { reason: expect.stringMatching(/^Stripe does not charge an amount this small/) };
    expect(await gateway.beginPayment(connection, asked())).toMatchObject({
      kind: "refused",
      tooSmall: true,
      ...words,
    });
    const methodId = await harness.saveMethod(connection, "works");
    expect(await gateway.charge(connection, { ...asked(), methodId })).toMatchObject({
      kind: "failed",
      gatewayId: "",
      ...words,
    });
  });

  test("a payment that takes no money back is refunded by the payer's instructions", async () => {
    const connection = await connect();
    bankOf(connection).paysWith = "promptpay";
    const request = asked();
    const answer = await gateway.beginPayment(connection, request);
    if (answer.kind === "redirect") await harness.press(answer.url, "approve");
    const { reference, amount, currency } = request;
    const refund = { key: newId(), reference, amount, currency };
    expect((await gateway.refund(connection, { ...refund, key: newId() })).kind).toBe("failed");
    const sent = await gateway.refund(connection, { ...refund, payerEmail: payer.email });
    expect(sent).toMatchObject({
      kind: "pending",
      awaits: expect.stringMatching(/^Stripe sent the payer instructions by e-mail on \d{4}-/),
    });
    expect(bankOf(connection).refunds).toMatchObject([{ instructions_email: payer.email }]);
    expect(
      await gateway.refund(connection, { ...refund, payerEmail: "other@example.com" }),
    ).toEqual(sent);
    bankOf(connection).settle();
    expect(await gateway.findRefund(connection, refund)).toMatchObject({
      kind: "succeeded",
      amount,
    });
    expect(bankOf(connection).refunds).toHaveLength(1);
  });

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
