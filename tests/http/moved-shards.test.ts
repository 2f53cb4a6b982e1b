import { expect, test } from "vitest";
import { problemOf } from "@/lib/http/problems";

test.each([
  ["XX000", "could not find valid entry for shard 102291"],
  ["40001", "shard for the given value does not exist"],
  ["CIINF", 'Query could not find the intermediate result file "12_1.data"'],
])("what Citus says while it moves rows is 503: the call may be repeated (%s)", (code, message) => {
  const cause = Object.assign(new Error(message), { code });
  expect(problemOf(new Error("Failed query", { cause }), "request").status).toBe(503);
});
