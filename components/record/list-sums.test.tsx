import { expect, test, vi } from "vitest";
import { getPaymentTotals } from "@/lib/contract/operations";
import { PaymentListTotals } from "@/lib/contract/list-totals";
import { answered, drawn } from "@/tests/drawn";
import { ListSums } from "./list-sums";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const [example] = PaymentListTotals.parse(PaymentListTotals.meta()?.examples?.[0]);
const totals = { currency: "MYR", count: 3, amount: 30_000, refunded_amount: 2_000 };
const shown = (query: object, collected_amount: number) =>
  drawn(
    <ListSums
      of={getPaymentTotals}
      list={{ query: { page: 1, per_page: 15, ...query }, filtered: true }}
      page={{ data: [], total: 3 } as never}
    />,
    [answered(getPaymentTotals, { query }, [{ ...example, ...totals, collected_amount } as never])],
  ).replaceAll(/<[^>]+>/g, "");

test.each([
  [{ q: "ana" }, 8_000, "80.00 collected, less refunds"],
  [{ q: "ana" }, 0, ""],
  [{ collected: "true" }, 28_000, "less MYR"],
  [{ collected: "false" }, 0, ""],
  [{ status: "failed" }, 0, "in all"],
])(
  "a list of payments by %j, of which %s was collected, says %j of its sum",
  (query, sum, words) => {
    const text = shown(query, sum);
    if (words === "") expect(text).toBe("");
    else expect(text.replaceAll(/\s+/g, " ")).toContain(words);
  },
);
