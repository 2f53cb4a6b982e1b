import { expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "@/tests/stripe-peer/running";
import { payer } from "../contract-requests";
import { stripeGateway as gateway } from "./adapter";
import { asked, connect, stripeHarness } from "@/tests/stripe-peer/harness";

const peer = runningPeer();
const { harness, bankOf } = stripeHarness(peer);

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
  expect(await gateway.refund(connection, { ...refund, payerEmail: "other@example.com" })).toEqual(
    sent,
  );
  bankOf(connection).settle();
  expect(await gateway.findRefund(connection, refund)).toMatchObject({
    kind: "succeeded",
    amount,
  });
  expect(bankOf(connection).refunds).toHaveLength(1);
});
