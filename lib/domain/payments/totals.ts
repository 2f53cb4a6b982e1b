import type { CustomerTotals } from "@/lib/contract/customers";
import { decimalAmount } from "@/lib/kernel/money";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { findCustomer } from "../customers/rows";
import { sumsOf } from "./payer-rows";

/** What a customer has paid and owes, for each currency. Throws 404. */
export async function totalsOf(ctx: Ctx, customerId: string): Promise<CustomerTotals> {
  const customer = await findCustomer(ctx, customerId);
  if (!customer) throw notFound();
  return (await sumsOf(ctx, customer.email)).map(
    ({ currency, payments, paid, refunded, disputed, openLinks, open }) => ({
      currency,
      payments,
      paid,
      paid_decimal: decimalAmount(paid, currency),
      refunded,
      refunded_decimal: decimalAmount(refunded, currency),
      disputed,
      disputed_decimal: decimalAmount(disputed, currency),
      open_links: openLinks,
      open,
      open_decimal: decimalAmount(open, currency),
    }),
  );
}
