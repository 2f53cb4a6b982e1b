import { expect, test } from "vitest";
import { chatText, kindsOf, shownAddress } from "./rules";

const parts = [
  "<!channel>",
  "<https://evil.example|Pay here>",
  "&lt;",
  "@channel",
  "@Everyone",
  "@here",
  "@ali",
  "[Pay](https://evil.example)",
  "](",
  "ana@example.com",
  "Invoice 1042",
  "<",
  ">",
  "&",
  "@",
  " ",
];

/** Texts of one to three parts, each of them in every place. */
const texts = parts.flatMap((a) => [
  a,
  ...parts.flatMap((b) => [a + b, ...parts.map((c) => a + b + c)]),
]);

test("no text of a payer becomes a mention, a link or markup in a chat", () => {
  for (const text of texts) {
    const said = chatText(text);
    expect(said, text).not.toMatch(/[<>]/);
    expect(said, text).not.toMatch(/&(?!(amp|lt|gt);)/);
    expect(said, text).not.toMatch(/@(everyone|here|channel|all)\b/i);
    expect(said, text).not.toMatch(/(^|[^\w.+-])@\w/);
    expect(said, text).not.toContain("](");
  }
});

test("a text without markup stays as it is", () => {
  for (const text of [
    "MYR 12.50 from ana@example.com for “Invoice 1042”",
    "Café – 50 %",
    "学校旅行",
  ])
    expect(chatText(text)).toBe(text);
});

test("an address is shown by its host and its last characters only", () => {
  expect(shownAddress("https://hooks.slack.com/services/T0/B0/secretx9Yz")).toBe(
    "hooks.slack.com…x9Yz",
  );
});

test.each([
  ["payment.succeeded", { flags: [] }, ["payments"]],
  ["payment.succeeded", { flags: ["late"] }, ["payments", "failures"]],
  ["payment.failed", { tokenization_id: null }, []],
  ["payment.failed", { tokenization_id: "a" }, ["failures"]],
  ["payment.disputed", {}, ["failures"]],
  ["payment.flagged", {}, ["failures"]],
  ["payment.flagged", { flags: ["amount_mismatch"] }, ["failures"]],
  ["payment.flagged", { flags: ["amount_mismatch", "resolved"] }, []],
  ["refund.failed", {}, ["failures"]],
  ["payment_link.paid", {}, []],
])("%s %o is of the kinds %o", (type, data, kinds) => {
  expect(kindsOf({ type, data })).toEqual(kinds);
});
