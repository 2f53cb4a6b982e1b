import { expect, test } from "vitest";
import { type Decision, decide, type Try } from "./decide";

const reason = "450 try later";

test.each<[string, Try, number, Decision, maybeSent?: true]>([
  ["a mail that was sent is done", { kind: "sent" }, 0, { kind: "close", status: "sent" }],
  [
    "a mail that is kept is done, and says why",
    { kind: "kept", reason },
    0,
    { kind: "close", status: "kept", error: reason },
  ],
  [
    "a mail over its recipient's limit waits, and no try is counted",
    { kind: "held", seconds: 40 },
    6,
    { kind: "postpone", seconds: 40 },
  ],
  [
    "a mail that the server refuses for good is not tried again",
    { kind: "permanent", reason },
    0,
    { kind: "fail", status: "failed", error: reason },
  ],
  [
    "the first retry comes after half a minute",
    { kind: "temporary", reason },
    0,
    { kind: "retry", maybeSent: false, seconds: 30, error: reason },
  ],
  [
    "the last retry comes a day later",
    { kind: "unknown", reason },
    6,
    { kind: "retry", maybeSent: true, seconds: 86_400, error: reason },
  ],
  [
    "after eight tries it has failed",
    { kind: "temporary", reason },
    7,
    { kind: "fail", status: "failed", error: reason },
  ],
  [
    "after eight tries without an answer from the server it is unknown: it may have been sent",
    { kind: "unknown", reason },
    7,
    { kind: "fail", status: "unknown", error: reason },
  ],
  [
    "a mail that may have been sent is called so when it is kept",
    { kind: "kept", reason },
    1,
    { kind: "close", status: "unknown", error: reason },
    true,
  ],
  [
    "a mail that may have been sent is called so when the server refuses it later",
    { kind: "permanent", reason },
    1,
    { kind: "fail", status: "unknown", error: reason },
    true,
  ],
  [
    "a mail that may have been sent is called so until its last try",
    { kind: "temporary", reason },
    1,
    { kind: "retry", maybeSent: true, seconds: 120, error: reason },
    true,
  ],
  [
    "a mail that may have been sent is called so when its last try fails",
    { kind: "temporary", reason },
    7,
    { kind: "fail", status: "unknown", error: reason },
    true,
  ],
])("%s", (_promise, outcome, tries, decision, maybeSent) => {
  expect(decide(outcome, tries, maybeSent)).toEqual(decision);
});
