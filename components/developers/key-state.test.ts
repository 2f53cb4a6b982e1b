import { expect, test } from "vitest";
import { keyHint, keyState } from "./key-state";

const now = Date.parse("2026-11-20T12:00:00Z");
const before = "2026-11-20T11:00:00.000000Z";
const after = "2026-11-20T13:00:00.000000Z";

test("a key works until it is revoked or expires, and a rolled one for a while longer", () => {
  expect(keyState({ revoked_at: null, expires_at: null }, now)).toBe("active");
  expect(keyState({ revoked_at: null, expires_at: after }, now)).toBe("active");
  expect(keyState({ revoked_at: after, expires_at: null }, now)).toBe("ending");
  expect(keyState({ revoked_at: after, expires_at: before }, now)).toBe("expired");
  expect(keyState({ revoked_at: before, expires_at: null }, now)).toBe("revoked");
});

test("of a key its mode and its last four characters are shown", () => {
  expect(keyHint({ mode: "live", last_four: "x9Qa" })).toBe("sk_live_…x9Qa");
});
