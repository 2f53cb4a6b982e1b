import { heavyRead } from "@/db/heavy-reads";
import type { PaymentListTotals } from "@/lib/contract/list-totals";
import type { PaymentQuery } from "@/lib/contract/payments";
import { decimalAmount } from "@/lib/kernel/money";
import type { Ctx } from "../context";
import { sumPayments } from "./list-rows";

/** What the payments of a list come to, for each currency. */
export const listTotals = (ctx: Ctx, query: PaymentQuery): Promise<PaymentListTotals> =>
  heavyRead(ctx, "search", async () =>
    (await sumPayments(ctx, query)).map(({ currency, count, amount, refunded, collected }) => ({
      currency,
      count,
      amount,
      amount_decimal: decimalAmount(amount, currency),
      refunded_amount: refunded,
      refunded_amount_decimal: decimalAmount(refunded, currency),
      collected_amount: collected,
      collected_amount_decimal: decimalAmount(collected, currency),
    })),
  );
