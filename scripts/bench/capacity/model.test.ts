import fc from "fast-check";
import { expect, test } from "vitest";
import { type Assumptions, type Costs, endOfOnePrimary, loadOf, usual, works } from "./model";

const cost = (value: number) => ({
  webMs: value,
  workerMs: value,
  databaseMs: value,
  walBytes: value * 1_000,
  transactions: 1,
  rows: 2,
  diskBytes: value * 500,
});
const costs = Object.fromEntries(works.map((work) => [work, cost(1)])) as Costs;
const plain: Assumptions = {
  perLink: { create: 1, get: 0, list: 0, page: 0, pay: 0, renew: 0 },
  peak: 1,
  databaseCores: 1,
  cores: 1,
  busy: 1,
  walMbPerSecond: 1,
  diskTb: 1,
};

test("a link a second with one millisecond of each part takes a thousandth of a core and 1,000 bytes of WAL a second", () => {
  expect(loadOf(86_400, costs, plain)).toEqual({
    linksADay: 86_400,
    linksPerSecond: 1,
    webCores: 0.001,
    workerCores: 0.001,
    databaseCores: 0.001,
    walMbPerSecond: 0.001,
    transactionsPerSecond: 1,
    diskGbADay: 0.0432,
    rowsADay: 172_800,
    webMachines: 1,
    ofDatabase: 0.001,
    ofWal: 0.001,
    ofYearOfDisk: 0.0432 * 0.365,
  });
});

test("at the end of one primary the limit that is named is reached, and no other is passed", () => {
  fc.assert(
    fc.property(
      fc.record({
        databaseCores: fc.integer({ min: 1, max: 128 }),
        walMbPerSecond: fc.integer({ min: 1, max: 5_000 }),
        diskTb: fc.integer({ min: 1, max: 500 }),
        peak: fc.integer({ min: 1, max: 50 }),
      }),
      (machine) => {
        const given = { ...usual, ...machine };
        const { linksADay, by } = endOfOnePrimary(costs, given);
        const { ofDatabase, ofWal, ofYearOfDisk } = loadOf(linksADay, costs, given);
        const shares = {
          "its processors": ofDatabase,
          "its WAL": ofWal,
          "a year of its disk": ofYearOfDisk,
        };
        expect(Math.max(...Object.values(shares))).toBeCloseTo(1, 2);
        expect(shares[by as keyof typeof shares]).toBeCloseTo(
          Math.max(...Object.values(shares)),
          9,
        );
      },
    ),
  );
});
