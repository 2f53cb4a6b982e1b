import { expect, test } from "vitest";
import { readableBody, requestAsCurl } from "./request-curl";

const logged = {
  method: "POST",
  path: "/payment-links",
  query: null,
  request_headers: {
    authorization: "Bearer sk_test_…x9Qa",
    "content-type": "application/json",
    cookie: "…",
  },
  request_body: `{"title":"Ana's order"}`,
  response_body: null,
};

test("a logged call becomes a command with the key in a variable and nothing else that authenticates", () => {
  expect(requestAsCurl(logged, "https://pay.example")).toBe(
    [
      `curl -X POST 'https://pay.example/api/payment-links' \\`,
      `  -H "Authorization: Bearer $API_KEY" \\`,
      `  -H 'content-type: application/json' \\`,
      String.raw`  --data-raw '{"title":"Ana'\''s order"}'`,
    ].join("\n"),
  );
});

test("it says where a secret or the end of a long body is missing", () => {
  const command = requestAsCurl(
    { ...logged, method: "GET", path: "/tokenizations/…", query: "per_page=5", request_body: null },
    "https://pay.example",
  );
  expect(command).toMatch(/^# … marks what/);
  expect(command).toContain("curl 'https://pay.example/api/tokenizations/…?per_page=5'");
});

test("JSON is shown with its lines, anything else as it came", () => {
  expect(readableBody('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readableBody("{broken")).toBe("{broken");
});
