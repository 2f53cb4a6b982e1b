import { assertNone, conflict, type FieldErrors } from "@/lib/kernel/problem";

type Terms = { amount: number; currency: string; frequency: string; dateChargeStart: string };

const terms = [
  ["amount", "amount"],
  ["currency", "currency"],
  ["frequency", "frequency"],
  ["dateChargeStart", "date_charge_start"],
] as const satisfies ReadonlyArray<readonly [keyof Terms, string]>;

type Subscribed = { subscribedCount: number };

/** Whether anyone has agreed to its terms, also in a subscription that is deleted by now. */
export const isSubscribed = ({ subscribedCount }: Subscribed) => subscribedCount > 0;

/** What subscribers agreed to stays as it is. Throws 409 that names what would change. */
export function assertTermsKept(before: Terms & Subscribed, after: Terms): void {
  if (!isSubscribed(before)) return;
  const changed = terms.filter(([key]) => before[key] !== after[key]).map(([, name]) => name);
  if (changed.length > 0)
    throw conflict(
      `This package has been subscribed to: ${changed.join(", ")} cannot be changed any more.`,
    );
}

/** Throws 409 while the package has a subscription that is not cancelled. */
export function assertDeletable(row: { liveCount: number }): void {
  if (row.liveCount === 0) return;
  throw conflict(
    `This package has ${row.liveCount} live subscription${row.liveCount === 1 ? "" : "s"} and cannot be deleted.`,
  );
}

/** Whether a package takes new subscribers: it is of this business, and neither deleted nor cancelled. */
export const isSubscribable = <T extends { status: string }>(row: T | undefined): row is T =>
  row?.status === "active";

/** The field errors of a package that takes no new subscribers. */
export const subscribingObjections = (row: { status: string } | undefined): FieldErrors =>
  isSubscribable(row) ? {} : { package_id: ["The selected package id is invalid."] };

/** Throws 422 on `package_id` for a package that takes no new subscribers. */
export function assertSubscribable<T extends { status: string }>(
  row: T | undefined,
): asserts row is T {
  assertNone(subscribingObjections(row));
}
