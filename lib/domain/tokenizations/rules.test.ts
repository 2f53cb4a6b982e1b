import { beforeAll, expect, test } from "vitest";
import { provideEnv } from "@/lib/env";
import {
  attemptEndsAt,
  isAttemptOver,
  isReturnProof,
  isUnknownTooLong,
  nextCheckSeconds,
  pageKind,
  parseReference,
  referenceOf,
  returnProof,
} from "./rules";

beforeAll(() => provideEnv({ KUTIP_SECRET: "x".repeat(32) }));

const ID = "0123456789abcdef01234567";
const noon = Date.parse("2026-01-01T12:00:00.000Z");
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

test("an attempt ends after 30 minutes, or with its token", () => {
  expect(attemptEndsAt({ attemptAt: at(0), expiresAt: at(100) })).toBe(at(30));
  expect(attemptEndsAt({ attemptAt: at(0), expiresAt: at(10) })).toBe(at(10));
});

test("an attempt is over at its end and not before; without an attempt nothing is", () => {
  const row = { attemptAt: at(0), expiresAt: at(100) };
  expect(isAttemptOver(row, noon + 30 * 60_000 - 1)).toBe(false);
  expect(isAttemptOver(row, noon + 30 * 60_000)).toBe(true);
  expect(isAttemptOver({ ...row, attemptAt: null }, noon + 1e9)).toBe(false);
});

test("looks become rarer, and a page that is open is looked at once a minute at most", () => {
  const checks = Array.from({ length: 10 }, (_, one) => one);
  const waits = [5, 10, 20, 30, 60, 120, 300, 600, 600, 600];
  expect(checks.map((one) => nextCheckSeconds(one, false))).toEqual(waits);
  expect(checks.map((one) => nextCheckSeconds(one, true))).toEqual(
    waits.map((one) => Math.max(60, one)),
  );
});

test("a reference names its token and attempt, and no other text is one", () => {
  expect(parseReference(referenceOf(ID, 12))).toEqual({ id: ID, attempt: 12 });
  for (const text of [
    "",
    `pay_${ID}_1`,
    `tok_${ID}_0`,
    `tok_${ID}`,
    ` tok_${ID}_1`,
    `tok_${ID}_1 `,
  ])
    expect(parseReference(text)).toBeUndefined();
});

test("a way back is valid for its token and attempt alone", () => {
  const proof = returnProof(ID, 1);
  expect(isReturnProof(ID, 1, proof)).toBe(true);
  for (const wrong of [returnProof(ID, 2), proof.slice(1), `${proof}0`, ""])
    expect(isReturnProof(ID, 1, wrong)).toBe(false);
});

test.each([
  ["active", null, at(100), at(0), "used"],
  ["revoked", null, at(100), at(0), "revoked"],
  ["expired", null, at(100), at(0), "expired"],
  ["pending", null, at(100), at(0), "activate"],
  ["pending", null, at(0), null, "expired"],
  ["pending", null, at(0), at(0), "processing"],
  ["pending", { kind: "processing" }, at(0), at(0), "processing"],
  ["pending", { kind: "processing" }, at(100), at(0), "processing"],
] as const)(
  "a %s token with the notice %j that expires at %s, with an attempt from %s, shows %s",
  (status, notice, expiresAt, attemptAt, kind) => {
    const row = { status, notice, expiresAt, attemptAt };
    expect(pageKind(row as Parameters<typeof pageKind>[0], noon)).toBe(kind);
  },
);

test("without an attempt nothing is processing", () => {
  const row = {
    status: "pending",
    notice: { kind: "processing" },
    expiresAt: at(100),
    attemptAt: null,
  };
  expect(pageKind(row as Parameters<typeof pageKind>[0], noon)).toBe("activate");
});

test.each([
  ["while its page takes a method", at(-29), at(100), "processing"],
  ["once its page takes none, so that the payer can try again", at(-30), at(100), "activate"],
  ["when the token's time is over and nothing can be tried again", at(-30), at(0), "processing"],
] as const)("an attempt without an answer, %s", (_when, attemptAt, expiresAt, kind) => {
  const row = { status: "pending", notice: { kind: "processing" }, attemptAt, expiresAt };
  expect(pageKind(row as Parameters<typeof pageKind>[0], noon)).toBe(kind);
});

test("an attempt is without an answer for too long after a day and not before; without an attempt nothing is", () => {
  const day = 24 * 60;
  expect(isUnknownTooLong({ attemptAt: at(1 - day) }, noon)).toBe(false);
  expect(isUnknownTooLong({ attemptAt: at(-day) }, noon)).toBe(true);
  expect(isUnknownTooLong({ attemptAt: null }, noon)).toBe(false);
});
