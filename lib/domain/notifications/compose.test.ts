import { expect, test } from "vitest";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { currencyCodes } from "@/lib/kernel/currencies";
import { chatMessage, dailyMessage, type Happening, lineOf, messageOf, withMore } from "./compose";

const payment = (more: Partial<PaymentWithPayer> = {}) =>
  ({
    _id: "6740f5d49e3c6f70b2d81a45",
    amount: 1250,
    currency: "MYR",
    email: "ana@example.com",
    title: "Invoice 1042",
    message: null,
    flags: [],
    ...more,
  }) as unknown as PaymentWithPayer;

const happening = (
  type: string,
  data: Record<string, unknown> = {},
  more: Partial<PaymentWithPayer> = {},
): Happening => ({ type, data, payment: payment(more) });

const money = "MYR 12.50 from ana@example.com for “Invoice 1042”";

test.each([
  [happening("payment.succeeded"), money],
  [
    happening("payment.succeeded", {}, { flags: ["late"] }),
    `${money} (it came after its link had ended or its amount was changed: refund it or fulfil the order)`,
  ],
  [
    happening("payment.failed", { message: "Card\ndeclined" }),
    `Not collected: ${money}: Card declined`,
  ],
  [
    happening("payment.disputed", { dispute_status: "open" }),
    `Disputed by the payer's bank: ${money}`,
  ],
  [happening("payment.disputed", { dispute_status: "won" }), `Dispute won: ${money}`],
  [happening("payment.disputed", { dispute_status: "lost" }), `Dispute lost: ${money}`],
  [
    happening("refund.failed", { amount: 500, currency: "MYR", message: "No money" }),
    "A refund failed: MYR 5.00 to ana@example.com for “Invoice 1042”: No money",
  ],
  [
    happening("refund.failed", { amount: 1250, currency: "MYR", message: null }, { email: null }),
    "A refund failed: MYR 12.50 for “Invoice 1042”",
  ],
  [happening("payment.flagged", {}, { message: "Look" }), `Needs attention: ${money}: Look`],
  [
    happening("payment.succeeded", {}, { email: null, currency: "JPY", amount: 500 }),
    "JPY 500 for “Invoice 1042”",
  ],
])("%# an event in one line", (one, line) => {
  expect(lineOf(one)).toBe(line);
});

test("one payment leads to its page, several to the list with a sum for each currency", () => {
  expect(messageOf([])).toBeUndefined();
  expect(messageOf([happening("payment.succeeded")])).toEqual({
    heading: "MYR 12.50 received",
    lines: [money],
    more: 0,
    place: "/payments/6740f5d49e3c6f70b2d81a45",
  });
  const message = messageOf([
    ...Array.from({ length: 30 }, () => happening("payment.succeeded")),
    happening("payment.succeeded", {}, { currency: "USD", amount: 500 }),
    happening("payment.disputed"),
  ]);
  expect(message?.heading).toBe(
    "31 payments received: MYR 375.00 and USD 5.00, 1 payment to look at",
  );
  expect(message?.lines).toHaveLength(20);
  expect(withMore(message?.lines ?? [], message?.more).slice(19)).toEqual([money, "And 12 more."]);
  expect(message?.place).toBe("/payments");
});

test("a day without payments and failures has no summary, one with failures alone has", () => {
  expect(dailyMessage("2026-11-22", [], [])).toBeUndefined();
  const failed = [{ currency: "MYR", sum: 9800, count: 2 }];
  expect(dailyMessage("2026-11-22", [], failed)).toMatchObject({
    heading: "22 November 2026: 0 payments, 2 failures",
    lines: ["Failed: MYR 98.00 (2)"],
  });
  expect(
    dailyMessage(
      "2026-11-22",
      [
        { currency: "MYR", sum: 3750, count: 3 },
        { currency: "USD", sum: 500, count: 1 },
      ],
      [{ currency: "MYR", sum: 4900, count: 1 }],
    ),
  ).toEqual({
    heading: "22 November 2026: 4 payments, 1 failure",
    lines: ["Collected: MYR 37.50 (3) and USD 5.00 (1)", "Failed: MYR 49.00 (1)"],
    place: "?from=2026-11-22&to=2026-11-22",
  });
});

test("a chat gets business, lines and address, with no markup of a payer", () => {
  expect(
    chatMessage(
      "Tide & Co",
      { heading: "MYR 12.50 received", lines: ["<!channel> @all"] },
      "https://x.example/b/1",
    ),
  ).toBe("Tide &amp; Co: MYR 12.50 received\n• &lt;!channel&gt; @\u2060all\nhttps://x.example/b/1");
});

const address = "https://pay.example.com/b/1/live/payments";

test.each([
  [
    "plain text",
    "Tuition fee March 2027, second instalment, Aiman",
    "Your card is empty. ".repeat(6),
  ],
  ["text that is escaped", "&".repeat(120), "<".repeat(120)],
])(
  "a chat's text of %s is one that every chat takes, and counts the events it leaves out",
  (_, title, why) => {
    const email = `${"somebody.long".repeat(4)}@company.example`;
    for (const count of [1, 20, 25, 1_000]) {
      const happenings = Array.from({ length: count }, () =>
        happening("payment.failed", { message: why }, { title, email }),
      );
      const message = messageOf(happenings);
      if (!message) throw new Error("there is no message");
      const text = chatMessage("&".repeat(200), message, address);
      expect(text.length).toBeLessThanOrEqual(2_000);
      const lines = text.split("\n");
      expect(lines.at(-1)).toBe(address);
      const said = lines.filter((line) => line.startsWith("• Not collected: ")).length;
      const more = /^• And ([\d,]+) more\.$/m.exec(text)?.[1] ?? "0";
      expect(said + Number(more.replace(",", ""))).toBe(count);
    }
  },
);

test("a chat's text in many currencies is one that every chat takes", () => {
  const sums = currencyCodes.map((currency) => ({
    currency,
    sum: 987_654_321,
    count: 1_000,
  }));
  const message = dailyMessage("2026-11-22", sums, sums);
  const payments = messageOf(
    sums.map(({ currency }) => happening("payment.succeeded", {}, { currency, amount: 1 })),
  );
  for (const one of [message, payments]) {
    if (!one) throw new Error("there is no message");
    expect(chatMessage("Satay", one, address).length).toBeLessThanOrEqual(2_000);
  }
});
