import { expect, test } from "vitest";
import { type Change, type Connect, decideChange, decideConnect } from "./decide";

const revoked = { id: "old", account: "acct_1", enabled: false };

test.each<[string, Parameters<typeof decideConnect>[0], Connect]>([
  ["the first account of a mode gets a connection", [], { kind: "insert" }],
  [
    "an account that was connected before gets its connection back",
    [{ ...revoked, id: "other", account: "acct_2" }, revoked],
    { kind: "reconnect", id: "old" },
  ],
  [
    "another account gets a connection of its own",
    [{ ...revoked, account: "acct_2" }],
    { kind: "insert" },
  ],
  [
    "a second account beside one that is connected is refused",
    [revoked, { ...revoked, id: "other", account: "acct_2", enabled: true }],
    { kind: "refuse" },
  ],
])("%s", (_promise, rows, connect) => {
  expect(decideConnect(rows, "acct_1")).toEqual(connect);
});

test.each<[string, Parameters<typeof decideChange>, Change]>([
  ["a connection that is not there", [undefined, false], { kind: "not_found" }],
  ["a gateway that is part of test mode", [{ revokedAt: null }, true], { kind: "built_in" }],
  [
    "a connection that is revoked",
    [{ revokedAt: "2026-03-10T00:00:00.000000Z" }, false],
    { kind: "revoked" },
  ],
  ["a connection with secrets", [{ revokedAt: null }, false], { kind: "change" }],
])("%s", (_promise, facts, change) => {
  expect(decideChange(...facts)).toEqual(change);
});
