import type { Package } from "@/lib/contract/packages";
import { frequencies } from "@/lib/contract/values";
import { displayAmount } from "@/lib/kernel/money";

type Frequency = Package["frequency"];

const words: Record<Frequency, [label: string, every: string]> = {
  daily: ["Daily", "every day"],
  weekly: ["Weekly", "every week"],
  biweekly: ["Every two weeks", "every two weeks"],
  monthly: ["Monthly", "every month"],
  quarterly: ["Quarterly", "every three months"],
  half_yearly: ["Half-yearly", "every six months"],
  yearly: ["Yearly", "every year"],
};

/** The entries of a list to choose a frequency from. */
export const frequencyOptions = frequencies.map((value) => ({ value, label: words[value][0] }));

export const frequencyLabel = (frequency: Frequency): string => words[frequency][0];

/** "MYR 49.00 every month". */
export const termsOf = ({
  amount,
  currency,
  frequency,
}: Pick<Package, "amount" | "currency" | "frequency">): string =>
  `${displayAmount(amount, currency)} ${words[frequency][1]}`;
