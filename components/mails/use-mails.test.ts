import { expect, test } from "vitest";
import { mailStatuses } from "@/lib/contract/values";
import { whileQueued } from "./use-mails";

test("mails are asked about again while one of them is queued, and not otherwise", () => {
  expect(mailStatuses.filter((status) => whileQueued([null, status]) !== undefined)).toEqual([
    "queued",
  ]);
  expect(whileQueued(undefined)).toBeUndefined();
});
