import { expect, test } from "vitest";
import { getOverview, listMails, listPayments } from "@/lib/contract/operations";
import { heardSince, noteHeard } from "./heard";

test("changes that were heard since a moment are known for a quarter of a minute", () => {
  noteHeard([listPayments], 1_000);
  noteHeard([listMails, getOverview], 5_000);
  expect(heardSince(0, 6_000)).toEqual([listPayments, listMails, getOverview]);
  expect(heardSince(5_000, 6_000)).toEqual([listMails, getOverview]);
  expect(heardSince(0, 16_001)).toEqual([listMails, getOverview]);
  expect(heardSince(0, 20_001)).toEqual([]);
  noteHeard([listMails], 21_000);
  expect(heardSince(20_000, 21_000)).toEqual([listMails]);
});
