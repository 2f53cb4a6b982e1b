import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { normalAddress } from "@/lib/domain/payers/rules";
import { hasOtherPayerNow } from "@/lib/domain/payments/payer-rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isResolved } from "@/lib/domain/payments/rules";
import type { Terms } from "@/lib/domain/subscriptions/period-rows";
import { find } from "@/lib/domain/tokenizations/rows";

/** The newest attempt that staff have ended since the saved method was activated. Both moments are real ones, also under a test clock. */
export async function resolvedSince(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  attempts: readonly PaymentRow[],
): Promise<string | null> {
  const resolved = attempts.filter(isResolved);
  const { tokenizationId } = terms.subscription;
  if (resolved.length === 0 || tokenizationId === null) return null;
  const since = (await find(ctx, tokenizationId, tx))?.activatedAt ?? "";
  const newest = resolved.find(({ resolvedAt, updatedAt, testClockId }) => {
    // Versions before kept no such moment, and a test clock has another time.
    const at = resolvedAt ?? (testClockId === null ? updatedAt : null);
    return at !== null && at >= since;
  });
  return newest?.id ?? null;
}

/** What became of the saved method where staff ended a payment of the period. What an earlier payer may have paid says nothing about a method of the present one, and is no reason to charge it. */
export async function methodAfterResolved(
  ctx: Ctx,
  tx: Tx,
  { subscription: { tokenizationId, email } }: Terms,
  resolved: PaymentRow,
): Promise<"unconfirmed" | "forgotten"> {
  if (tokenizationId === null) return "forgotten";
  const method = resolved.tokenizationId && (await find(ctx, resolved.tokenizationId, tx));
  const isOfPayer = method
    ? normalAddress(method.email) === normalAddress(email)
    : !(await hasOtherPayerNow(ctx, tx, resolved));
  return isOfPayer ? "unconfirmed" : "forgotten";
}
