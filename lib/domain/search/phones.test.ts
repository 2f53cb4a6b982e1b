import { expect, it } from "vitest";
import { phoneIn } from "./phones";

it.each(["012-882 4452", "0128824452", "+60 12-882 4452", "(012) 882.4452"])(
  "%s is a phone number, looked up by its last digits",
  (text) =>
    expect(phoneIn(text)).toEqual({
      digits: "28824452",
      endings: ["4452", "44 52", "44-52", "44.52", "4 452", "4-452", "4.452"],
    }),
);

it.each(["4452", "85.00", "S1001-88244", "ana@example.com", "987.65", ""])(
  "%s is no phone number",
  (text) => expect(phoneIn(text)).toBeUndefined(),
);
