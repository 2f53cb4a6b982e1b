import { expect, test, vi } from "vitest";
import { listPayments } from "@/lib/contract/operations";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { answered, drawn } from "@/tests/drawn";
import { LatestPayments } from "./latest-payments";
import { latestCollected } from "./latest-query";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const payment = PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]);

test.each([
  [true, "https://kutip.example/api/payments?cursor=x"],
  [false, null],
])("the latest payments lead to all of them where there are more: %j", (more, next_page_url) => {
  const html = drawn(<LatestPayments />, [
    answered(listPayments, { query: latestCollected }, { data: [payment], next_page_url }),
  ]);
  expect(html.includes('href="/b/1001/test/payments?collected=true"')).toBe(more);
  expect(html.includes(">Show all<")).toBe(more);
});
