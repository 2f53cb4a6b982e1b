import { expect, it } from "vitest";
import { isSamePhone, phoneEndings } from "./phones";

it.each(["012-882 4452", "0128824452", "+60 12-882 4452", "(012) 882.4452"])(
  "%s is a phone number, looked up by its last digits",
  (text) => expect(phoneEndings(text)).toEqual(["4452", "44 52", "44-52", "44.52", "4 452"]),
);

it.each(["4452", "85.00", "S1001-88244", "ana@example.com", "987.65", ""])(
  "%s is no phone number",
  (text) => expect(phoneEndings(text)).toEqual([]),
);

it("phone numbers are the same however they are written", () => {
  expect(isSamePhone("+60 12-882 4452", "0128824452")).toBe(true);
  expect(isSamePhone("012-882 4452", "+60128824452")).toBe(true);
  expect(isSamePhone("+60 12-882 4452", "0128834452")).toBe(false);
  expect(isSamePhone("4452", "0128824452")).toBe(false);
  expect(isSamePhone("", "")).toBe(false);
});
