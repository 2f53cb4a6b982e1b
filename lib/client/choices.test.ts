import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes } from "@/lib/kernel/currencies";
import { findChoices, meantChoice } from "./choices";
import { currencyChoices, leadingChoices } from "./currency-choices";

const choices = currencyChoices();
const found = (written: string) => findChoices(choices, written).map(({ value }) => value);

describe("a currency is found", () => {
  test("first by its own code, in any case", () => {
    for (const code of currencyCodes)
      for (const written of [code, code.toLowerCase(), ` ${code} `]) {
        expect(found(written)[0], written).toBe(code);
        expect(meantChoice(choices, written)?.value, written).toBe(code);
      }
  });

  test.each([
    ["ringgit", "MYR"],
    ["malay", "MYR"],
    ["RM", "MYR"],
    ["€", "EUR"],
    ["£", "GBP"],
    ["germany", "EUR"],
    ["ecuador", "USD"],
    ["senegal", "XOF"],
    ["colon", "CRC"],
    ["dollar singapore", "SGD"],
  ])("by “%s”: %s", (written, code) => expect(found(written)).toContain(code));

  test("by what is written and by nothing else", () => {
    fc.assert(
      fc.property(fc.constantFrom(...choices), fc.constantFrom(...choices), (one, other) => {
        const all = found(one.label);
        expect(all).toContain(one.value);
        if (one !== other) expect(all).not.toContain(other.value);
      }),
    );
    expect(found("zzz")).toEqual([]);
    expect(found(" – ")).toEqual([]);
    expect(found("")).toEqual(choices.map(({ value }) => value));
  });
});

test("a text that several choices have means none of them", () => {
  expect(meantChoice(choices, "dollar")).toBeUndefined();
  expect(meantChoice(choices, "")).toBeUndefined();
  expect(meantChoice(choices, "ringgit")?.value).toBe("MYR");
});

test("the leading choices come first, each once, and none is lost", () => {
  const { choices: all, lead } = leadingChoices(choices, ["MYR", "EUR", "MYR", "XXX"]);
  expect(lead).toBe(2);
  expect(all.slice(0, 2).map(({ value }) => value)).toEqual(["MYR", "EUR"]);
  expect(all.map(({ value }) => value).sort()).toEqual([...currencyCodes]);
});
