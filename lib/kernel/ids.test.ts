import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksLikeApiKey, newApiKey, newId, newToken } from "@/lib/kernel/ids";

describe("ids and tokens", () => {
  test("an id is 24 hex characters, the first eight its second", () => {
    expect(newId(Date.parse("2026-11-20T13:34:45.999Z"))).toMatch(/^[0-9a-f]{24}$/);
    expect(Number.parseInt(newId(Date.parse("2026-11-20T13:34:45.999Z")).slice(0, 8), 16)).toBe(
      Date.parse("2026-11-20T13:34:45Z") / 1000,
    );
  });
  test("ids and tokens do not repeat", () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newId())).size).toBe(10_000);
    expect(newToken()).toMatch(/^[0-9a-f]{64}$/);
    expect(newToken()).not.toBe(newToken());
  });
});

describe("API keys", () => {
  const mode = fc.constantFrom("test" as const, "live" as const);
  test("carry their mode and 256 random bits, and check", () => {
    fc.assert(
      fc.property(mode, (chosen) => {
        const key = newApiKey(chosen);
        expect(key).toMatch(new RegExp(`^sk_${chosen}_[0-9A-Za-z]{49}$`));
        expect(looksLikeApiKey(key)).toBe(true);
      }),
    );
  });
  test("a wrong character anywhere, a swap or another mode is noticed without the database", () => {
    const letters = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
    fc.assert(
      fc.property(mode, fc.nat(48), fc.constantFrom(...letters), (chosen, at, letter) => {
        const key = newApiKey(chosen);
        const place = at + 8;
        if (key[place] !== letter)
          expect(looksLikeApiKey(key.slice(0, place) + letter + key.slice(place + 1))).toBe(false);
        const [one = "", two = ""] = [key[place], key[place + 1]];
        if (two !== "" && one !== two)
          expect(looksLikeApiKey(key.slice(0, place) + two + one + key.slice(place + 2))).toBe(
            false,
          );
        expect(
          looksLikeApiKey(key.replace(`_${chosen}_`, chosen === "test" ? "_live_" : "_test_")),
        ).toBe(false);
      }),
    );
  });
  test.each([
    "",
    "sk_test_",
    "sk_prod_0",
    `sk_test_${"0".repeat(49)}`,
    ` ${newApiKey("test")}`,
    `${newApiKey("test")}\n`,
    newApiKey("test").slice(0, -1),
    `${newApiKey("test")}0`,
  ])("%j is none", (text) => expect(looksLikeApiKey(text)).toBe(false));
});
