import { databaseNow } from "@/db/now";
import type { FieldErrors } from "@/lib/kernel/problem";

/** The field errors of an `expires_at` that has passed by the database's clock. `nowMs`: its reading, where the caller has it. */
export async function validateExpiry(
  { expires_at: moment }: { expires_at?: string | undefined },
  nowMs?: number,
): Promise<FieldErrors> {
  if (moment === undefined || Date.parse(moment) > (nowMs ?? (await databaseNow()))) return {};
  return { expires_at: ["The expires at must be a date after now."] };
}
