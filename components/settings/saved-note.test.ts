import { expect, test } from "vitest";
import { Business } from "@/lib/contract/business";
import { savedNote } from "./saved-note";

const business = Business.parse(Business.meta()?.examples?.[0]);

test.each<[string, Partial<Business>, boolean]>([
  ["nothing", {}, false],
  ["the time zone", { time_zone: "UTC", version: 2 }, false],
  ["the retry days", { retry_days: [1], version: 2 }, false],
  ["the name", { name: "Teh Tarik" }, true],
  ["the logo", { logo: null }, true],
  ["the contact", { support_email: null, time_zone: "UTC" }, true],
])(
  "a save that changes %s says that payers see it only where they do (%j, %s)",
  (_, change, seen) => {
    expect(savedNote(business, { ...business, ...change }) !== undefined).toBe(seen);
  },
);
