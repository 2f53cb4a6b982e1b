import { expect, test } from "vitest";
import { phoneOf } from "./phone";

test.each([
  ["+60123456789", "+60 123456789"],
  ["+60 12-345 6789", "+60 123456789"],
  [" +1 (415) 555-2671", "+1 4155552671"],
  ["+6591234567", "+65 91234567"],
  ["+673 712 3456", "+673 7123456"],
  ["0123456789", null],
  ["60123456789", null],
  ["call the shop first", null],
  ["+60 12345678 after 5 pm", null],
  ["+60 12", null],
  ["+60123456789012345", null],
  ["+", null],
  ["", null],
  [null, null],
])("%j is sent to CHIP as %j", (text, sent) => {
  expect(phoneOf(text)).toBe(sent);
});
