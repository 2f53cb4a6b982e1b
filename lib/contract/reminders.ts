import * as z from "zod";
import { rule } from "./messages";
import { reminderText } from "./reminder-text";
import { limits } from "./values";

/** What the days of a reminder are counted from. */
export const reminderBases = ["created_at", "due_at"] as const;

export const Reminder = z
  .object({
    days: z
      .int()
      .min(-limits.reminderDays)
      .max(limits.reminderDays)
      .meta({ description: "Less than 0: before the due date. At least 1 for `created_at`." }),
    relative_to: z.enum(reminderBases),
  })
  .meta({ id: "Reminder", examples: [{ days: -1, relative_to: "due_at" }] });
export type Reminder = z.output<typeof Reminder>;

const isPlain = ({ days, relative_to: base }: Reminder) => base === "due_at" || days >= 1;

/** A schedule of reminders. */
export const Reminders = rule(
  z.array(rule(Reminder, "reminder_days", isPlain)).max(limits.reminders),
  "distinct",
  (list) => new Set(list.map((one) => reminderText(one))).size === list.length,
).meta({
  description: `At most ${limits.reminders} reminders, each on the morning of another day. A mail to the payer is written at 09:00 in the business's time zone while the link can be paid.`,
  examples: [[{ days: -1, relative_to: "due_at" }]],
});
