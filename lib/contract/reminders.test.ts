import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "./messages";
import { PaymentLinkInput } from "./payment-links";
import { remindersFrom, remindersText } from "./reminder-text";
import { type Reminder, reminderBases } from "./reminders";

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const reminder: fc.Arbitrary<Reminder> = fc
  .record({
    days: fc.integer({ min: -365, max: 365 }),
    relative_to: fc.constantFrom(...reminderBases),
  })
  .filter(({ days, relative_to: base }) => base === "due_at" || days >= 1);
const schedule = fc.uniqueArray(reminder, {
  maxLength: 6,
  selector: (one) => JSON.stringify([one.days, one.relative_to]),
});
const errorsOf = (reminders: unknown) => {
  const checked = check(PaymentLinkInput, { ...input, reminders });
  return checked.ok ? undefined : checked.errors;
};

test("every schedule is taken, and comes back from a cell of a CSV file", () => {
  fc.assert(
    fc.property(schedule, (list) => {
      expect(errorsOf(list)).toBeUndefined();
      expect(remindersFrom(remindersText(list))).toEqual(list);
    }),
  );
});

test.each([
  [
    Array.from({ length: 7 }, (_, at) => ({ days: at + 1, relative_to: "created_at" })),
    "reminders",
  ],
  [[{ days: 0, relative_to: "created_at" }], "reminders.0"],
  [[{ days: -1, relative_to: "created_at" }], "reminders.0"],
  [[{ days: 366, relative_to: "due_at" }], "reminders.0.days"],
  [[{ days: 1.5, relative_to: "due_at" }], "reminders.0.days"],
  [[{ days: 1, relative_to: "paid_at" }], "reminders.0.relative_to"],
  [
    [
      { days: 1, relative_to: "due_at" },
      { days: 1, relative_to: "due_at" },
    ],
    "reminders",
  ],
  ["created+1", "reminders"],
])("%j is refused, and the field %s is named", (reminders, field) => {
  expect(Object.keys(errorsOf(reminders) ?? {})).toEqual([field]);
});

test("a cell that holds no schedule stays a text", () => {
  for (const cell of ["tomorrow", "created", "due", "created+1 later", "+1"])
    expect(remindersFrom(cell)).toBe(cell);
});

test("a text where a list is wanted is refused for that alone, however long it is", () => {
  for (const text of ["due-1", "tomorrow and the day after"])
    expect(errorsOf(text)).toEqual({ reminders: ["The reminders must be an array."] });
});
