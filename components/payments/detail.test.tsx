import { expect, test, vi } from "vitest";
import { Mail } from "@/lib/contract/mails";
import { getPayment, getPaymentTimeline, listMails, listRefunds } from "@/lib/contract/operations";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { ListedRefund } from "@/lib/contract/refunds";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { answered, drawn } from "@/tests/drawn";
import { PaymentDetail } from "./detail";
import { RefundsCard, useRefunds } from "./refunds-card";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const mail = Mail.parse(Mail.meta()?.examples?.[0]);
const subscription_id = "6740f4c38d2b5e6fa1c70941";
const tokenization_id = "6740f4c38d2b5e6fa1c70935";
const charge = {
  ...PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]),
  payment_link_id: null,
  tokenization_id,
};

const subjectsOf = (payment: PaymentWithPayer) => {
  const html = drawn(<PaymentDetail id={payment._id} />, [
    answered(getPayment, { params: { payment_id: payment._id } }, payment),
    ...(["subscription_id", "tokenization_id"] as const).map((name) =>
      answered(
        listMails,
        { query: { [name]: { subscription_id, tokenization_id }[name], per_page: 20 } },
        { data: [{ ...mail, subject: `About the ${name}` }], next_page_url: null },
      ),
    ),
  ]);
  return html.match(/About the \w+/g);
};

test("the payment of a period that was charged to a saved method shows the mails about the subscription, where its receipt is", () => {
  expect(subjectsOf({ ...charge, subscription_id })).toEqual(["About the subscription_id"]);
  expect(subjectsOf({ ...charge, subscription_id, tokenization_id: null })).toEqual([
    "About the subscription_id",
  ]);
});

test("the payment of a charge without a subscription shows the mails about the saved method", () => {
  expect(subjectsOf({ ...charge, subscription_id: null })).toEqual(["About the tokenization_id"]);
});

const link_id = "6740f1c09a3be27d51c8e4f0";
const deletion: TimelineEntry = {
  at: "2026-11-20T13:36:10.000125Z",
  kind: "payment_link.deleted",
  title: "Payment link deleted",
  actor: { kind: "person", name: "Ana Costa" },
  changes: [],
  event_id: "6740f5d59e3c6f70b2d81a46",
  payment_id: null,
  mail_id: null,
};

test.each([
  ["is deleted", [deletion], false],
  ["is there", [], true],
])("the payment of a link that %s leads to it only where it has a page", (_state, entries, led) => {
  const payment = { ...charge, tokenization_id: null, payment_link_id: link_id, title: "Order 9" };
  const params = { payment_id: payment._id };
  const html = drawn(<PaymentDetail id={payment._id} />, [
    answered(getPayment, { params }, payment),
    answered(getPaymentTimeline, { params }, entries),
  ]);
  expect(html.includes(`/payment-links/${link_id}"`)).toBe(led);
  expect(html.includes("Order 9</bdi> (deleted)")).toBe(!led);
  expect(html.includes("No entries yet.")).toBe(led);
});

const [past, future] = ["2020-01-02T00:00:00.000000Z", "2990-01-02T00:00:00.000000Z"];
const payment = charge;
const refund = ListedRefund.parse(ListedRefund.meta()?.examples?.[0]);

test.each([
  ["payment", { ...payment, status: "unknown", resolvable_at: past } as const, refund, true],
  ["payment", { ...payment, status: "unknown", resolvable_at: future } as const, refund, false],
  ["refund", payment, { ...refund, status: "unknown", resolvable_at: past } as const, true],
  ["refund", payment, { ...refund, status: "unknown", resolvable_at: future } as const, false],
])(
  "an unknown %s is resolved as soon as the server takes that, and says from when before",
  (_what, record, listed, offered) => {
    const html = drawn(<PaymentDetail id={record._id} />, [
      answered(getPayment, { params: { payment_id: record._id } }, record),
      answered(
        listRefunds,
        { params: { payment_id: record._id }, query: { per_page: 100 } },
        { data: [listed] },
      ),
    ]);
    expect(html.includes("Resolve it…")).toBe(offered);
    expect(html.includes(`<time dateTime="${future}"`)).toBe(!offered);
    expect(html.includes("an be resolved")).toBe(!offered);
  },
);

function Refunds({ of }: { of: PaymentWithPayer }) {
  const { left, ...list } = useRefunds(of);
  return (
    <>
      <p>Left: {String(left)}</p>
      <RefundsCard payment={of} {...list} />
    </>
  );
}

test.each([
  [null, 10_550, false],
  ["/api/payments/x/refunds?page=2", 7_950, true],
])(
  "what is left of a payment counts its refunds on further pages too, of which the list has %j",
  (next_page_url, left, said) => {
    const made = { ...payment, status: "partially_refunded", refunded_amount: 4_100 } as const;
    const listed = [
      { ...refund, amount: 1_500 },
      { ...refund, _id: "6740f7a19e3c6f70b2d81a53", amount: 500, status: "pending" },
      { ...refund, _id: "6740f7a19e3c6f70b2d81a54", amount: 9_000, status: "failed" },
    ] satisfies ListedRefund[];
    const html = drawn(<Refunds of={made} />, [
      answered(
        listRefunds,
        { params: { payment_id: payment._id }, query: { per_page: 100 } },
        { data: listed, next_page_url },
      ),
    ]).replaceAll("<!-- -->", "");
    expect(html).toContain(`Left: ${left}<`);
    expect(html.includes("The newest 3 refunds.")).toBe(said);
  },
);
