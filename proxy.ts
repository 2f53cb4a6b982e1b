import { type NextRequest, NextResponse } from "next/server";
import { developing } from "@/lib/env";

/** Gives every page of the dashboard its own nonce and the policy that goes with it. Decides nothing about who may come in. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64");
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${developing ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${developing ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    // Positioned pop-ups carry their place in a style attribute, which can run nothing.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("referrer-policy", "strict-origin-when-cross-origin");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  response.headers.set(
    "permissions-policy",
    "camera=(), microphone=(), geolocation=(), payment=()",
  );
  return response;
}

// The API, its reference and the payer's pages bring policies of their own. Any other path below theirs is an unknown page of the dashboard.
export const config = {
  matcher: [
    "/((?!(?:api(?:/.*)?|docs/api|pay|pay/return|thank-you|(?:activate|receipt|simulator|logo)/[^/]+)/?$|_next/static/).*)",
  ],
};
