import { expect, test } from "vitest";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { check } from "@/lib/contract/messages";
import { inFormWords, inMoneyWords } from "./error-words";

const link = { email: "ana@example.com", currency: "USD", amount: 1_000, title: "Invoice" };
const said = (name: string, value: unknown) => {
  const checked = check(PaymentLinkInput, { ...link, [name]: value });
  return checked.ok ? "" : (checked.errors[name] ?? []).join(" ");
};

test("a field speaks of itself by its label, whatever the API calls it", () => {
  const words: [name: string, value: unknown, label: string, text: string][] = [
    ["title", "", "Title", "Title is required."],
    ["title", "a".repeat(51), "Title", "Title may have at most 50 characters."],
    ["email", "ana", "E-mail", "E-mail must be a valid e-mail address."],
    ["redirect_url", "nowhere", "Return address", "Return address must be a valid URL."],
    ["currency", "ABC", "Currency", "The selected currency is invalid."],
  ];
  for (const [name, value, label, text] of words)
    expect(inFormWords(said(name, value), name, label), name).toBe(text);
  // What only the server can know comes as a text.
  expect(inFormWords("The expires at must be a date after now.", "expires_at", "Expires")).toBe(
    "Expires must be a date after now.",
  );
});

test("no error of any field of a link keeps the API's name for it", () => {
  for (const name of Object.keys(PaymentLinkInput.shape))
    for (const value of [null, 7, "x", ["y"], "z".repeat(9_000), true]) {
      const text = inFormWords(said(name, value), name, "Label");
      expect(text, `${name} ${String(value)}`).not.toMatch(/^The (?!selected label)|_/);
    }
});

test("limits of amounts are written as people write amounts", () => {
  const words = (amount: number, currency: string) =>
    inMoneyWords(inFormWords(said("amount", amount), "amount", "Amount"), currency);
  expect(words(499, "USD")).toBe("Amount must be at least USD 5.00.");
  expect(words(3_000_001, "USD")).toBe("Amount must not be greater than USD 30,000.00.");
  expect(words(499, "JPY")).toBe("Amount must be at least JPY 500.");
  expect(words(499, "")).toBe("Choose a currency: it decides what the amount may be.");
});
