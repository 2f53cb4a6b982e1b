import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainAddress } from "@/lib/mail/transport";
import { AccountEmail, Email } from "./fields";

const takes = (text: string) => Email.safeParse(text).success;

const letters = [..."abXYZ019"];
const signs = [..."!#$%&'*+/=?^_`{|}~-"];
const atom = fc
  .array(fc.constantFrom(...letters, ...signs), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(""));
const label = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.array(fc.constantFrom(...letters, "-"), { maxLength: 8 }),
    fc.constantFrom(...letters),
  )
  .map(([first, middle, last]) => `${first}${middle.join("")}${last}`);
const address = fc
  .tuple(
    fc.array(atom, { minLength: 1, maxLength: 4 }),
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("com", "travel", "MY", "xn--p1ai", "XN--90A-x"),
  )
  .map(([local, labels, top]) => `${local.join(".")}@${labels.join(".")}.${top}`);

test("every plain ASCII address is taken as it is, and mail goes to it", () => {
  fc.assert(
    fc.property(address, (text) => {
      expect(Email.parse(text)).toBe(text);
      expect(isPlainAddress(text)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a text is taken only where mail goes to it as one address", () => {
  const text = fc
    .array(fc.constantFrom(...'ab.-&=/@@"(),:;<>[]\\ \t\r\n\0\u00e9', ".com"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (one) => {
      if (takes(one)) expect(isPlainAddress(one)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test("an account has an address with which the sign-in library lets its person in", () => {
  for (const text of ["ana@example.com", "o'brien+x_y@sub.example.ie"])
    expect(AccountEmail.safeParse(text).success).toBe(true);
  for (const text of ["a&b@example.com", "ana@example.xn--p1ai"])
    expect([takes(text), AccountEmail.safeParse(text).success]).toEqual([true, false]);
});
