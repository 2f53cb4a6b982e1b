import type { TestClock } from "@/lib/contract/test-clocks";
import type { ClockRow } from "./rows";

/** A test clock as the API answers it. */
export function presentClock(row: ClockRow): TestClock {
  const { advancingTo, advanceFrom, advancePausedAt, time } = row;
  const ready = advancingTo === null;
  return {
    _id: row.id,
    name: row.name,
    now: time,
    status: ready ? "ready" : advancePausedAt === null ? "advancing" : "paused",
    advancing_to: advancingTo,
    advanced_to: ready ? null : time,
    progress: ready ? null : percent(advanceFrom ?? time, time, advancingTo),
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

function percent(from: string, reached: string, to: string): number {
  const whole = Date.parse(to) - Date.parse(from);
  return whole <= 0
    ? 0
    : Math.min(99, Math.floor((100 * (Date.parse(reached) - Date.parse(from))) / whole));
}
