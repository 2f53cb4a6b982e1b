import type { TestClock } from "@/lib/contract/test-clocks";
import type { ClockRow } from "./rows";

/** A test clock as the API answers it. */
export function presentClock(row: ClockRow): TestClock {
  return {
    _id: row.id,
    name: row.name,
    now: row.time,
    status: row.advancingTo === null ? "ready" : "advancing",
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
