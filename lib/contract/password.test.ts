import { expect, test } from "vitest";
import { SetupInput, SignUpInput } from "./account";
import { commonPasswords, commonWords } from "./common-passwords";
import { check } from "./messages";
import { isEasyToGuess, Password } from "./password";

const easy = [
  "password1234",
  "Password123!",
  "p4ssw0rd1234",
  "P@ssw0rd!2024",
  "123456789012",
  "098765432109",
  "qwertyuiop12",
  "qwerty123456",
  "abcdefghijkl",
  "aaaaaaaaaaaa",
  "abcabcabcabc",
  "letmeinletmein",
  "1qaz2wsx3edc",
  "unbelievable",
  "!!!dragon!!!1",
  "Kutip-2026-Kutip",
];

test.each(easy)("%s is refused", (password) => {
  expect(isEasyToGuess(password)).toBe(true);
  expect(check(Password, password)).toMatchObject({ ok: false });
});

test.each([
  "correct horse battery",
  "another horse battery",
  "a long sentence nobody guesses 27",
  "browser-test-6740f5d81b2c9e7a04f3d519",
  "xk2fq-9vbtm-w4hzs-7cdpn",
  "purple monkey dishwasher",
  "Tr0ub4dor&3-staple",
])("%s is taken", (password) => {
  expect(isEasyToGuess(password)).toBe(false);
  expect(check(Password, password)).toMatchObject({ ok: true });
});

test.each([...commonPasswords])("%s of the list is refused", (password) => {
  expect(isEasyToGuess(password.toUpperCase())).toBe(true);
});

test("three thousand common passwords of our length are refused", () => {
  const made = [...commonWords].flatMap((word) =>
    ["123456", "1234567890", "!2024!", "111111"]
      .map((end) => `${word}${end}`)
      .filter((one) => one.length >= 12),
  );
  expect(made.length).toBeGreaterThan(3_000);
  expect(made.filter((one) => !isEasyToGuess(one))).toEqual([]);
});

test.each([
  ["tidewater2026", ["Tidewater & Co"]],
  ["ana.costa12345", ["ana.costa@example.com"]],
  ["costa-tidewater", ["ana.costa@example.com", "Tidewater"]],
])("%s is refused for %j", (password, context) => {
  expect(isEasyToGuess(password, context)).toBe(true);
});

const owner = { business_name: "Tidewater", name: "Ana Costa", email: "ana@example.com" };

test.each([
  ["setting up", SetupInput, { code: "x" }],
  ["signing up", SignUpInput, { invitation: "x" }],
])(
  "%s refuses a password that is made of the business's name, beside all else that is wrong",
  (_, schema, more) => {
    expect(check(schema, { ...owner, ...more, password: "tidewater2026" })).toEqual({
      ok: false,
      errors: { password: ["The password is too easy to guess."] },
    });
    const both = check(schema, { ...owner, ...more, password: "tidewater2026", email: "nobody" });
    expect(both.ok ? {} : Object.keys(both.errors).sort()).toEqual(["email", "password"]);
  },
);
