import { expect, test } from "vitest";
import { decide, ofChat, ofMail, problemOf } from "./decide";

test("a chat that fails is tried again a few times, ever later, and then no more", () => {
  const waits: number[] = [];
  for (let tries = 0; ; tries++) {
    const decision = decide(ofChat({ status: 500, error: "It answered 500." }), tries);
    if (decision.kind !== "retry") {
      expect(decision).toEqual({ kind: "failed", error: "It answered 500." });
      break;
    }
    waits.push(decision.seconds);
  }
  expect(waits.length).toBeGreaterThan(2);
  expect(waits.length).toBeLessThan(10);
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
});

test.each([404, 410])(
  "a chat that answers %i gets nothing more, and the settings say so",
  (status) => {
    const decision = decide(ofChat({ status, error: `It answered ${status}.` }), 0);
    expect(decision.kind).toBe("off");
    expect(problemOf(decision)).toContain(`It answered ${status}. Nothing more is sent there`);
  },
);

test.each([200, 204])("a chat that answers %i has the message", (status) => {
  expect(decide(ofChat({ status, error: null }), 3)).toEqual({ kind: "sent" });
});

test.each([
  ["sent", { kind: "sent" }],
  ["kept", { kind: "failed", error: "This install has no mail server." }],
  ["permanent", { kind: "failed", error: "no such box" }],
  ["temporary", { kind: "retry", error: "no such box" }],
  ["unknown", { kind: "retry", error: "no such box" }],
] as const)("a mail that is %s", (kind, tried) => {
  expect(
    ofMail(kind === "sent" || kind === "kept" ? { kind } : { kind, reason: "no such box" }),
  ).toEqual(tried);
});
