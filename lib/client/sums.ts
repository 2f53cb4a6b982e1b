import { displayAmount } from "@/lib/kernel/money";

type Sum = { readonly amount: number; readonly currency: string };

/** What these amounts in minor units come to, by currency: "MYR 37.50 and USD 5.00". */
export function displaySums(amounts: Iterable<Sum>): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of amounts)
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return new Intl.ListFormat("en").format(
    [...sums].map(([currency, amount]) => displayAmount(amount, currency)),
  );
}
