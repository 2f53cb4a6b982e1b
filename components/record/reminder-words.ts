import type { Reminder } from "@/lib/contract/reminders";

const days = (count: number) => `${count} day${count === 1 ? "" : "s"}`;

/** A reminder in words: "3 days before it is due". */
export function reminderWords({ days: count, relative_to: base }: Reminder): string {
  if (base === "created_at") return `${days(count)} after it is created`;
  if (count === 0) return "on the due date";
  return `${days(Math.abs(count))} ${count < 0 ? "before" : "after"} it is due`;
}

/** A schedule in words. */
export const scheduleWords = (list: readonly Reminder[]): string =>
  list.map(reminderWords).join(", ") || "Never";

/** What a payment link without a schedule of its own gets: "By default: 3 days after it is created". */
export const defaultWords = (list: readonly Reminder[]): string =>
  list.length === 0 ? "None by default" : `By default: ${scheduleWords(list)}`;
