import { heavyRead } from "@/db/heavy-reads";
import type { PaymentLinkListTotals } from "@/lib/contract/list-totals";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import { decimalAmount } from "@/lib/kernel/money";
import type { Ctx } from "../context";
import { sumLinks } from "./list-rows";

/** What the payment links of a list come to, for each currency. */
export const listTotals = (ctx: Ctx, query: PaymentLinkQuery): Promise<PaymentLinkListTotals> =>
  heavyRead(ctx, "search", async () =>
    (await sumLinks(ctx, query)).map(({ currency, count, amount }) => ({
      currency,
      count,
      amount,
      amount_decimal: decimalAmount(amount, currency),
    })),
  );
