import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { auth } from "@/lib/domain/accounts/auth";
import { briefHeader, clientHeader, proofHeader } from "@/lib/domain/accounts/headers";
import { cookieName, SESSION_COOKIE, withoutBrief } from "@/lib/domain/accounts/session-token";
import { withActiveSignatures } from "@/lib/domain/accounts/signed-cookies";
import { env } from "@/lib/env";
import { addressKey } from "@/lib/kernel/ip";
import { consume } from "@/lib/domain/limits/limits";
import { notFound } from "@/lib/kernel/problem";
import { mediaType, readJson, readText } from "./body";
import { frontDoor } from "./front-door";
import { problemOf } from "./problems";
import { fail } from "./respond";
import { assertRecentProofOf } from "./reauthentication";
import { assertOwnSite, assertSameOrigin } from "./same-origin";
import { sessionOf } from "./session-cookie";
import { pluginNotServed } from "./shop-plugins";
import {
  allowedBody,
  allowedQuery,
  type SignInEndpoint,
  signInEndpoint,
} from "./sign-in-endpoints";

// Whether an address is known must not show in the time that the answer takes.
const evenMs = 250;
const passkeyPath = "/passkey/verify-authentication";
const even = new Set(["/request-password-reset", "/send-verification-email"]);

/** Everything under /api/auth: sign-in and what belongs to a person's own account, by better-auth. */
export const signInRoute = frontDoor(async (request, context) => {
  const headers = { "x-request-id": randomUUID() };
  try {
    const url = new URL(request.url);
    const path = url.pathname.slice("/api/auth".length);
    const endpoint = signInEndpoint(request.method, path);
    if (!endpoint)
      throw request.method === "POST" && path === "/sign-in" ? pluginNotServed() : notFound();
    const address = context.clientAddress ?? "unknown";
    assertSameOrigin(request, request.headers.has("cookie"));
    // Else any page could use up the tries of its visitor's address.
    assertOwnSite(request);
    Object.assign(headers, await count(endpoint, request, addressKey(address)));
    if (endpoint.sensitive) await assertRecentProofOf(request);
    const given = new Headers(request.headers);
    const cookie = given.get("cookie");
    if (cookie !== null)
      given.set(
        "cookie",
        await withActiveSignatures(path === passkeyPath ? withoutBrief(cookie) : cookie),
      );
    given.set(clientHeader, address);
    given.delete(proofHeader);
    given.delete(briefHeader);
    const fields = request.method === "POST" ? await readFields(request) : undefined;
    const body = fields && allowedBody(endpoint, fields);
    const brief = path === passkeyPath && fields?.rememberMe === false;
    if (brief) given.set(briefHeader, "1");
    if (body) {
      given.delete("content-length");
      given.set("content-type", "application/json");
      // The cookie counts only from our own pages, which was looked at above in terms that suit proxies too.
      given.set("origin", env.BASE_URL);
    }
    const query = allowedQuery(endpoint, url.searchParams);
    const asked = auth().handler(
      new Request(`${env.BASE_URL}/api/auth${path}${query}`, {
        method: request.method,
        headers: given,
        body: body && JSON.stringify(body),
      }),
    );
    const [answer] = await Promise.all([asked, even.has(path) ? pause(evenMs) : undefined]);
    if (brief) endWithBrowser(answer.headers);
    return await presented(answer, headers);
  } catch (error) {
    return fail(problemOf(error, headers["x-request-id"]), headers);
  }
});

/** Counts a try, or the call of a stranger, against the address, and any other call against its person. Throws 429. */
async function count(
  { guessed }: SignInEndpoint,
  request: Request,
  address: string | undefined,
): Promise<Record<string, string>> {
  if (guessed) return consume("sign_in", address);
  const session = await sessionOf(request);
  return session ? consume("key", `person:${session.user.id}`) : consume("payer_address", address);
}

/** The fields of a body; one without a media type must be empty. Throws 400, 413 and 415. */
async function readFields(request: Request): Promise<Record<string, unknown>> {
  if (mediaType(request) === undefined && (await readText(request)) === "") return {};
  return (await readJson(request)).value;
}

/** Takes the age from the cookie of the session, so that the browser forgets it when it closes. */
function endWithBrowser(headers: Headers): void {
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies)
    headers.append(
      "set-cookie",
      cookie.startsWith(`${cookieName(SESSION_COOKIE)}=`)
        ? cookie.replace(/; *(?:max-age|expires)=[^;]*/gi, "")
        : cookie,
    );
}

const wrongPassword = "INVALID_EMAIL_OR_PASSWORD";

/** The answer in the house's shape for failures, and without the session's token: that is for the cookie alone. */
async function presented(answer: Response, headers: Record<string, string>): Promise<Response> {
  const given = new Headers(answer.headers);
  given.delete("content-length");
  for (const [name, value] of Object.entries({
    ...headers,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  }))
    given.set(name, value);
  if (!given.get("content-type")?.startsWith("application/json"))
    return new Response(answer.body, { status: answer.status, headers: given });
  const text = await answer.text();
  const data = text === "" ? null : (JSON.parse(text) as unknown);
  const body = answer.ok
    ? withoutToken(data)
    : { message: "The call failed.", code: "failed", ...inOurWords(data), errors: {} };
  return new Response(JSON.stringify(body), { status: answer.status, headers: given });
}

function inOurWords(data: unknown): object {
  const problem = (data ?? {}) as { code?: unknown };
  return problem.code === wrongPassword
    ? { ...problem, message: "The e-mail or the password is wrong." }
    : problem;
}

function withoutToken(data: unknown): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  const { token: _, ...rest } = data as Record<string, unknown>;
  return "session" in rest ? { ...rest, session: withoutToken(rest.session) } : rest;
}
