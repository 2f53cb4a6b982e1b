import { randomUUID } from "node:crypto";
import type * as z from "zod";
import type { Endpoint } from "@/lib/contract/endpoint";
import { check } from "@/lib/contract/messages";
import type { Entry } from "@/lib/domain/accounts/enter";
import type { UserRow } from "@/lib/domain/users/rows";
import { addressKey } from "@/lib/kernel/ip";
import { consume } from "@/lib/domain/limits/limits";
import { invalid, notFound, Problem } from "@/lib/kernel/problem";
import { readJson } from "./body";
import { identify } from "./define-route";
import { frontDoor } from "./front-door";
import type { RouteHandler } from "./route-handler";
import { problemOf } from "./problems";
import { fail, succeed } from "./respond";
import { assertSameOrigin } from "./same-origin";
import { sessionOf } from "./session-cookie";

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type Signed = { user: UserRow; sessionId: string; recentProof: boolean };
export type AccountCall<E extends Endpoint> = {
  person: Signed | undefined;
  params: Parsed<NonNullable<E["params"]>>;
  body: Parsed<NonNullable<E["body"]>>;
  from: { address: string; userAgent: string; cookie: string };
  /** Hands the cookies of a sign-in to the caller. */
  admit: (entry: Entry) => void;
};

const unauthenticated = () =>
  new Problem(401, "unauthenticated", "Unauthenticated.", {
    headers: { "www-authenticate": "Bearer" },
  });

/**
 * A route around a person's own account, without a business: request id, origin, rate limit, session, body, validate, handler,
 * envelope. Of strangers every unsafe call counts as a try at signing in, every other one as a visit, and a missing session as a failed
 * authentication.
 */
export function defineAccountRoute<E extends Endpoint>(
  endpoint: E,
  handler: (call: AccountCall<E>) => Promise<z.output<E["response"]>>,
): RouteHandler {
  return frontDoor(async (request, context) => {
    let headers: Record<string, string> = { "x-request-id": randomUUID() };
    try {
      const address = context.clientAddress ?? "unknown";
      assertSameOrigin(request, endpoint.access === "person" || request.headers.has("cookie"));
      if (endpoint.access === "public") {
        const limit = endpoint.method === "GET" ? "payer_address" : "sign_in";
        headers = { ...headers, ...(await consume(limit, addressKey(address))) };
      }
      const findSession = async () => {
        const found = await sessionOf(request);
        if (endpoint.access === "person" && !found) throw unauthenticated();
        return found;
      };
      const signedIn = () => identify(request, headers["x-request-id"] ?? "", address, findSession);
      let person = await signedIn();
      if (endpoint.access === "person" && person)
        headers = { ...headers, ...(await consume("key", `person:${person.user.id}`)) };
      const params = endpoint.params?.safeParse(await context.params);
      if (params && !params.success) throw notFound();
      const body = endpoint.body && check(endpoint.body, (await readJson(request)).value);
      if (body && !body.ok) throw invalid(body.errors);
      // The session may have ended while the body was held back.
      if (body) person = await signedIn();
      const cookies: string[] = [];
      const call = {
        person,
        params: params?.data,
        body: body?.data,
        from: {
          address,
          userAgent: request.headers.get("user-agent") ?? "",
          cookie: request.headers.get("cookie") ?? "",
        },
        admit: (entry: Entry) => void cookies.push(...entry.cookies),
      };
      const answer = succeed(await handler(call as AccountCall<E>), headers);
      for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
      return answer;
    } catch (error) {
      return fail(problemOf(error, headers["x-request-id"] ?? ""), headers);
    }
  });
}

/** The same for a person who is signed in. */
export function definePersonRoute<E extends Endpoint>(
  endpoint: E,
  handler: (call: AccountCall<E> & { person: Signed }) => Promise<z.output<E["response"]>>,
): RouteHandler {
  return defineAccountRoute(endpoint, async (call) => {
    if (!call.person) throw unauthenticated();
    return handler({ ...call, person: call.person });
  });
}
