import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { GET } from "@/app/docs/api/route";
import { programFiles } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";

const response = await GET(new Request("http://localhost:3000/docs/api"), {});
const html = await response.text();

test("every endpoint has its place, named once", () => {
  for (const { id } of [...endpoints, ...programFiles])
    expect(html.split(`id="${id}"`)).toHaveLength(2);
});

test("every address within the page leads somewhere, and no id is given twice", () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const leads = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(leads.filter((id) => !ids.includes(id))).toEqual([]);
});

test("the policy allows exactly the style sheet and the script that are there", () => {
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const tag of ["style", "script"]) {
    const [, content = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html) ?? [];
    expect(policy).toContain(
      `${tag}-src 'sha256-${createHash("sha256").update(content).digest("base64")}'`,
    );
  }
  expect(html).not.toMatch(/ style="| on\w+="|javascript:/);
});

test("examples carry this install's address and no key", () => {
  expect(html).toContain("http://localhost:3000/api/payment-links");
  expect(html).not.toMatch(/pay\.example|sk_(test|live)_[0-9A-Za-z]{8}/);
});

test("currencies without two digits are all named", () => {
  for (const code of currencyCodes.filter((code) => currencyDigits(code) !== 2))
    expect(html).toContain(code);
});

test("the table of failures has every code that a call can meet, and its 422", () => {
  const table = /<dl class="statuses">(.*?)<\/dl>/s.exec(html)?.[1] ?? "";
  const codes = [
    "malformed_request",
    "unauthenticated",
    "forbidden",
    "email_unverified",
    "cross_origin",
    "key_cannot_do_this",
    "reauthentication_required",
    "not_found",
    "method_not_allowed",
    "conflict",
    "stale_version",
    "not_payable",
    "refund_unsupported",
    "gateway_not_connected",
    "idempotency_in_progress",
    "secret_already_shown",
    "payload_too_large",
    "unsupported_media_type",
    "too_many_requests",
    "internal_error",
    "unavailable",
  ];
  expect(
    [...table.matchAll(/<code>(\w+)<\/code>/g)]
      .map(([, code]) => code)
      .filter((code) => code?.includes("_") || codes.includes(code ?? ""))
      .sort(),
  ).toEqual([...codes].sort());
  expect(table).toContain('id="status-422"');
});

test("nothing was forgotten on the way to a text", () => {
  expect(html).not.toMatch(/undefined|\[object|NaN(?!<)/);
});
