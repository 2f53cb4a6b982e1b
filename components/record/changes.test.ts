import { expect, test } from "vitest";
import { hasWords, shownValue } from "./changes";

test.each([
  ["Cancelled by An", "An", true],
  ["An Nguyễn cancelled it", "An Nguyễn", true],
  ["Cancelled", "An", false],
  ["Change of plan", "an", false],
  ["Created by Joanna Lee", "Anna Lee", false],
  ["Created by API key Web shop", "API key Web shop", true],
])("the title %j says the name %j: %j", (title, name, said) => {
  expect(hasWords(title, name)).toBe(said);
});

test.each([
  ["status", "partially_refunded", "Partly refunded"],
  ["status", "requires_action", "At the provider"],
  ["dispute_status", "won", "won"],
  ["flags", ["late", "amount_mismatch"], "Paid late, Amount mismatch"],
  ["flags", [], "none"],
  ["reminders", [{ days: -1, relative_to: "due_at" }], "1 day before it is due"],
  ["reminders", [], "Never"],
  ["reminders", null, "none of its own"],
])("the value of %s that the API calls %j is shown as %j", (field, value, shown) => {
  expect(shownValue(field, value, "MYR")).toBe(shown);
});

test("a moment is shown in the zone that is asked for", () => {
  const shown = (zone: string) => shownValue("due_at", "2026-11-20T22:30:00Z", "MYR", zone);
  expect([shown("UTC"), shown("Asia/Kuala_Lumpur")]).toEqual([
    "20 Nov 2026, 22:30",
    "21 Nov 2026, 06:30",
  ]);
});
