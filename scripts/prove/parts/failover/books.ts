/** A charge at the gateway, by our attempt's id. */
export type Charge = { attempt: string; amount: number; currency: string };
/** A payment in Kutip that succeeded. `cause` is what may be paid once: a link, or a period of a subscription. */
export type Paid = Charge & { cause: string };
export type Acknowledged = { links: ReadonlyMap<string, string>; payments: ReadonlySet<string> };
export type Kept = { links: ReadonlyMap<string, string>; payments: readonly Paid[] };

/** What should be empty after an outage. */
export type Findings = {
  /** Acknowledged links and payments that are missing or different. */
  lost: string[];
  /** Attempts charged more than once, and links and periods with more than one charge. */
  doubled: string[];
  /** Charges at the gateway without our payment, or with another amount. */
  unbooked: string[];
  /** Our payments without a charge at the gateway. */
  invented: string[];
};

const money = ({ attempt, amount, currency }: Charge) =>
  `${attempt} ${amount} ${currency.toUpperCase()}`;

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}

/** Compares what was acknowledged, what the gateway charged, and what is kept. Links are titles by id. */
export function compareBooks(
  acknowledged: Acknowledged,
  charges: readonly Charge[],
  kept: Kept,
): Findings {
  const charged = new Set(charges.map(money));
  const booked = new Set(kept.payments.map(money));
  const paid = new Set(kept.payments.map(({ attempt }) => attempt));
  return {
    lost: [
      ...[...acknowledged.links]
        .filter(([id, title]) => kept.links.get(id) !== title)
        .map(([id]) => id),
      ...[...acknowledged.payments].filter((id) => !paid.has(id)),
    ],
    doubled: [
      ...repeated(charges.map(({ attempt }) => attempt)),
      ...repeated(kept.payments.map(({ cause }) => cause)),
    ],
    unbooked: [...charged].filter((one) => !booked.has(one)),
    invented: [...booked].filter((one) => !charged.has(one)),
  };
}
