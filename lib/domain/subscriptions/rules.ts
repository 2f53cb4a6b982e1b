import type { SubscriptionStatus } from "@/lib/contract/values";
import { conflict } from "@/lib/kernel/problem";

/** How many of its period links a subscription shows. */
export const shownPeriodLinks = 25;

/** A cancelled subscription is final. Throws 409. */
export function assertNotCancelled(row: { status: SubscriptionStatus }): void {
  if (row.status === "cancel")
    throw conflict("This subscription is cancelled and cannot be changed.");
}

/** Whether its package counts it as live. */
export const isLive = (row: { status: SubscriptionStatus }) => row.status !== "cancel";

/** Addresses are compared without case. */
export const sameAddress = (one: string, other: string) =>
  one.toLowerCase() === other.toLowerCase();
