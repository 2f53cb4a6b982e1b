import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { PaymentLines } from "@/components/balance/payment-lines";
import { StatementLines } from "@/components/balance/statement-lines";
import { MailList } from "@/components/mails/list";
import { LatestPayments } from "@/components/overview/latest-payments";
import { latestCollected } from "@/components/overview/latest-query";
import { listQuery } from "@/lib/client/list-query";
import { Mail } from "@/lib/contract/mails";
import { listMails, listPayments, listStatementLines } from "@/lib/contract/operations";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { StatementLine } from "@/lib/contract/statements";
import { calendar } from "@/lib/contract/values";
import { answered, drawn } from "@/tests/drawn";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const payment = PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]);
const line = StatementLine.parse(StatementLine.meta()?.examples?.[0]);
const mail = Mail.parse(Mail.meta()?.examples?.[0]);
const query = listQuery({}, {});
const page = { next_page_url: null, prev_page_url: null };

type Drawn = [name: string, list: ReactNode, answer: ReturnType<typeof answered>, record: string];

const lists: Drawn[] = [
  [
    "the latest payments",
    <LatestPayments key="latest" />,
    answered(listPayments, { query: latestCollected }, { data: [payment] }),
    `/payments/${payment._id}`,
  ],
  [
    "the balance",
    <PaymentLines key="balance" />,
    answered(
      listPayments,
      { query: { ...listQuery({}, {}, "-succeeded_at"), succeeded_from: calendar.first } },
      { ...page, data: [payment] },
    ),
    `/payments/${payment._id}`,
  ],
  [
    "a statement",
    <StatementLines key="statement" month="2026-11" />,
    answered(
      listStatementLines,
      { params: { month: "2026-11" }, query },
      { ...page, data: [line] },
    ),
    `/payments/${line.payment_id}`,
  ],
  [
    "mails",
    <MailList key="mails" />,
    answered(listMails, { query }, { ...page, data: [mail] }),
    `/mails/${mail._id}`,
  ],
];

test.each(lists)(
  "an address in %s leads to the customer, beside what leads to the record",
  (_list, list, answer, record) => {
    const html = drawn(list, [answer]);
    const links = [...html.matchAll(/<a[^>]* href="([^"]+)"[^>]*>(.*?)<\/a>/g)];
    const textsOf = (path: string) =>
      links
        .filter(([, href]) => href === `/b/1001/test${path}`)
        .map(([, , text]) => text?.replace(/<[^>]+>/g, ""));
    const customer = textsOf(`/customers/find?email=${encodeURIComponent("ana@example.com")}`);
    expect(new Set(customer)).toEqual(new Set(["ana@example.com"]));
    expect(textsOf(record).length).toBeGreaterThan(0);
    expect(textsOf(record)).not.toContain("ana@example.com");
  },
);
