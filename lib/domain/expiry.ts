import { TZDateMini } from "@date-fns/tz";
import { databaseNow } from "@/db/now";
import { calendar } from "@/lib/contract/values";
import type { FieldErrors } from "@/lib/kernel/problem";

/** The field errors of an `expires_at` that has passed by the database's clock. `nowMs`: its reading, where the caller has it. */
export async function validateExpiry(
  { expires_at: moment }: { expires_at?: string | undefined },
  nowMs?: number,
): Promise<FieldErrors> {
  if (moment === undefined || Date.parse(moment) > (nowMs ?? (await databaseNow()))) return {};
  return { expires_at: ["The expires at must be a date after now."] };
}

/** An expiry (ISO 8601 UTC, six digits) so many days later at the same time of day in a zone, at most at the end of the calendar. */
export function laterExpiry(moment: string, days: number, zone: string): string {
  const date = new TZDateMini(Date.parse(moment), zone);
  date.setDate(date.getDate() + days);
  const later = new Date(date.getTime()).toISOString();
  return later.slice(0, 10) > calendar.last
    ? `${calendar.last}T23:59:59.999999Z`
    : `${later.slice(0, 19)}${moment.slice(19)}`;
}
