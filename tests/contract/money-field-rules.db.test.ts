import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { currencyCodes } from "@/lib/kernel/currencies";
import { create, createRaw, data, errors, expectInvalid } from "./input-setting";

afterAll(closePool);

describe("amount", () => {
  test.each([
    ["500", 500],
    ["3000000", 3_000_000],
    ['"500"', 500],
    ['"3000000"', 3_000_000],
    ["500.0", 500],
    ["5e2", 500],
    ["50000e-2", 500],
    ["1E3", 1_000],
    ['"0500"', 500],
    ['"000000500"', 500],
  ])("%s is taken", async (json, amount) =>
    expect(data(await createRaw("amount", json)).amount).toBe(amount),
  );

  const least = "The amount must be at least 500.";
  const most = "The amount must not be greater than 3000000.";
  const whole = "The amount must be an integer.";
  const minor = "The amount is in minor units of the currency: send 1250 for MYR 12.50.";
  const required = "The amount field is required.";
  test.each([
    ["499", least],
    ["3000001", most],
    ["0", least],
    ["-0", least],
    ["-500", least],
    ['"499"', least],
    ['"3000001"', most],
    ["500.5", whole, minor],
    ["1e-2", whole, minor],
    ["499.99999999999999999", whole, minor],
    ["500.0000000000000000001", whole, minor],
    ["3000000.0000000000000001", whole, minor],
    ["1e-400", whole, minor],
    ["9007199254740993", most],
    ["1e400", whole],
    ['" 500"', whole],
    ['"500 "', whole],
    ['"５００"', whole],
    ['"٥٠٠"', whole],
    ['"5e2"', whole],
    ['"+500"', whole],
    ['"-500"', whole],
    ['"500.0"', whole, minor],
    ['"0x1f4"', whole],
    ['"1,000"', whole, minor],
    ['"49.90"', whole, minor],
    ['"1,234.50"', whole, minor],
    ["49.9", whole, minor],
    ["45.844421100000005", whole, minor],
    ['"0000000500"', whole],
    ["true", whole],
    ["[500]", whole],
    ["{}", whole],
    ["null", required],
    ['""', required],
    ['"  "', required],
  ])("%s is 422", async (json, ...texts) =>
    expectInvalid(await createRaw("amount", json), { amount: texts }),
  );

  test("every amount in the range comes back as it was sent, every other is 422 on amount alone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1_000, max: 3_002_000 }),
        fc.boolean(),
        async (amount, asText) => {
          const answer = await create({ amount: asText ? String(amount) : amount });
          if (amount >= 500 && amount <= 3_000_000) expect(data(answer).amount).toBe(amount);
          else expect(Object.keys(errors(answer))).toEqual(["amount"]);
        },
      ),
      { numRuns: 100 },
    );
  });
  test("no other JSON value is an amount", async () => {
    const others = fc
      .jsonValue()
      .filter(
        (value) =>
          typeof value !== "number" && !(typeof value === "string" && /^\d{1,9}$/.test(value)),
      );
    await fc.assert(
      fc.asyncProperty(others, async (amount) => {
        expect(Object.keys(errors(await create({ amount })))).toEqual(["amount"]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("currency", () => {
  test("every currency in circulation is taken", async () => {
    for (const currency of currencyCodes)
      expect(data(await create({ currency }))).toMatchObject({ currency, amount: 500 });
  });
  test.each([
    ["MYR", "5.00"],
    ["JPY", "500"],
    ["KWD", "0.500"],
    ["HUF", "5.00"],
    ["IQD", "0.500"],
    ["XOF", "500"],
  ])("500 in %s is %s", async (currency, decimal) => {
    expect(data(await create({ currency })).amount_decimal).toBe(decimal);
  });
  const selected = "The selected currency is invalid.";
  const funds = [
    "BOV",
    "CHE",
    "CHW",
    "CLF",
    "COU",
    "MXV",
    "USN",
    "UYI",
    "UYW",
    "XAD",
    "XAG",
    "XAU",
    "XBA",
    "XBB",
    "XBC",
    "XBD",
    "XDR",
    "XPD",
    "XPT",
    "XSU",
    "XTS",
    "XUA",
    "XXX",
  ];
  const withdrawn = [
    "ANG",
    "BGN",
    "BYR",
    "CUC",
    "DEM",
    "FRF",
    "HRK",
    "LTL",
    "MRO",
    "SLL",
    "STD",
    "VEF",
    "VEB",
    "ZMK",
    "ZWD",
    "ZWL",
  ];
  test.each([...funds, ...withdrawn, "myr", "Myr", "MY", "MYRR", "ＭＹＲ", "M R", "123"])(
    "%s is 422",
    async (currency) => {
      expectInvalid(await create({ currency }), { currency: [selected] });
    },
  );
  test.each([
    [458, "The currency must be a string."],
    [["MYR"], "The currency must be a string."],
    [null, "The currency field is required."],
    [" ", "The currency field is required."],
  ])("%j is 422", async (currency, message) =>
    expectInvalid(await create({ currency }), { currency: [message] }),
  );
});
