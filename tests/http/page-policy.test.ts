import { NextRequest } from "next/server";
import { unstable_doesMiddlewareMatch } from "next/experimental/testing/server";
import { expect, test } from "vitest";
import { config, proxy } from "@/proxy";
import { routeFiles } from "@/scripts/routes-plugin.mjs";

const hasPolicy = (path: string) =>
  unstable_doesMiddlewareMatch({ config, url: `http://localhost:3000${path}` });

/** `/metrics` and `/.well-known/security.txt` are plain text. */
const own = routeFiles(process.cwd()).filter(({ file }) =>
  /^app\/(api|docs|\(payer\))\//.test(file),
);

test.each(own.map(({ pattern }) => pattern))(
  "the route file of %s brings a policy of its own",
  (pattern) => {
    const path = pattern.replace(/\[\.\.\.[^\]]+\]/g, "a/b").replace(/\[[^\]]+\]/g, "a1");
    expect(hasPolicy(path)).toBe(false);
  },
);

test.each([
  "/",
  "/sign-in",
  "/payments",
  "/docs",
  "/docs/",
  "/docs/api/x",
  "/docs/x",
  "/pay/x",
  "/pay/return/x",
  "/activate",
  "/activate/token/x",
  "/thank-you/x",
  "/receipt",
  "/receipt/a/b",
  "/simulator",
  "/simulator/a/b",
  "/logo",
  "/logo/a/b",
])("%s is a page of the dashboard, or none, and gets the dashboard's policy", (path) => {
  expect(hasPolicy(path)).toBe(true);
});

test("the policy of the dashboard lets no other site frame it and no script run without a nonce", () => {
  const { headers } = proxy(new NextRequest("http://localhost:3000/logo"));
  const policy = headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/=]{24}'/);
  expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
});
