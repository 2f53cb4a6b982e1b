import { expect, test } from "vitest";
import { safeNext, signInAddress } from "./return-address";

test("signing in leads back to the page that was asked for, with its query", () => {
  const wanted = "/b/1001/test/payment-links?status=Active&page=2";
  const given = new URL(signInAddress(wanted), "http://x").searchParams.get("next");
  expect(safeNext(given)).toBe(wanted);
});

test("no address of another site is ever gone to", () => {
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "\\\\evil.example",
    "/..//evil.example",
    "",
    null,
    undefined,
  ]) {
    expect(new URL(safeNext(next), "http://ours.example").host, String(next)).toBe("ours.example");
  }
});
