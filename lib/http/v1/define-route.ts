import type { Endpoint } from "@/lib/contract/endpoint";
import { check } from "@/lib/contract/messages";
import { businessTime } from "@/lib/domain/business-time";
import type { Ctx } from "@/lib/domain/context";
import {
  claimKey,
  holdClaim,
  ownTarget,
  releaseClaim,
  settleClaim,
} from "@/lib/domain/idempotency/claim";
import { assertConnected } from "@/lib/domain/gateway-connections/connected";
import { db } from "@/db/client";
import { newRequestId } from "@/lib/kernel/ids";
import { assertNone, invalid, notFound, Problem } from "@/lib/kernel/problem";
import { mediaType, parseObject, readText } from "../body";
import { countCall, identify } from "../define-route";
import { frontDoor } from "../front-door";
import { seenVersionIn } from "../if-match";
import { problemOf } from "../problems";
import { noteRequest, type Seen } from "../request-log";
import { respond, successBody } from "../respond";
import type { RouteContext, RouteHandler } from "../route-handler";
import { authenticatePlugin, type PluginCaller } from "./authenticate";
import { failPlugin, pluginProblemBody, type Subject } from "./problems";

export type PluginCall = {
  ctx: Ctx;
  caller: PluginCaller;
  params: Record<string, string>;
  /** The body as it was sent, numbers in `amount` as text; empty where the route takes none. */
  body: Record<string, unknown>;
  search: URLSearchParams;
};

export type PluginRoute = {
  id: string;
  subject: Subject;
  /** Which credentials it takes: the API key is for links alone. */
  credentials: readonly PluginCaller["credential"][];
  takesBody?: true;
  money?: true;
  /** A write that may name the version it is based on, as at `/api`. */
  versioned?: true;
  /** How the answer of the domain looks here; a stored answer is shown the same way. */
  present?: (data: never) => unknown;
};

type Answer = (status: number, text: string) => Response;
type Running = {
  request: Request;
  requestId: string;
  address: string;
  context: RouteContext;
  seen: Seen;
  headers: Record<string, string>;
  answer: Answer;
};

/** What all routes of shop plugins share: the request id, the log, and failures as plugins read them. */
export function pluginDoor(
  { id, subject }: Pick<PluginRoute, "id" | "subject">,
  run: (running: Running) => Promise<Response>,
): RouteHandler {
  return frontDoor(async (request, context) => {
    const requestId = newRequestId();
    const address = context.clientAddress ?? "unknown";
    const headers: Record<string, string> = { "x-request-id": requestId };
    const seen: Seen = {
      endpoint: { id } as Endpoint,
      request,
      requestId,
      address,
      rawHeaders: context.rawHeaders,
      began: performance.now(),
      caller: undefined,
      body: null,
    };
    const answer: Answer = (status, text) => {
      noteRequest(seen, status, text);
      return respond(status, text, headers);
    };
    try {
      return await run({ request, requestId, address, context, seen, headers, answer });
    } catch (error) {
      const problem = problemOf(error, requestId);
      noteRequest(seen, problem.status, pluginProblemBody(problem, subject));
      return failPlugin(problem, subject, headers);
    }
  });
}

/** A JSON body with the text of `amount` as it was sent. Throws 400, 413 and 415. */
export async function readPluginBody(
  request: Request,
  seen: Seen,
): Promise<{ text: string; value: Record<string, unknown> }> {
  if (mediaType(request) !== "application/json")
    throw new Problem(
      415,
      "unsupported_media_type",
      "The Content-Type header must be application/json.",
    );
  const text = await readText(request);
  seen.body = text;
  return { text, value: parseObject(text, "amount") };
}

/**
 * A route of shop plugins, in the order of `defineRoute`: request id, authenticate, rate limit, gateway, body, authenticate again,
 * idempotency claim, handler, envelope. Where a claim is made, the gateway is checked after it. Every failure has a map of arrays,
 * because plugins show its first text.
 */
export function definePluginRoute<T>(
  route: PluginRoute & { present?: (data: T) => unknown },
  handler: (call: PluginCall) => Promise<T>,
): RouteHandler {
  const present = route.present ?? ((data: T): unknown => data);
  return pluginDoor(
    route,
    async ({ request, requestId, address, context, seen, headers, answer }) => {
      const identified = () => identify(request, requestId, address, authenticatePlugin);
      let caller = await identified();
      seen.caller = caller;
      context.caller = caller.ctx;
      Object.assign(headers, await countCall(caller));
      if (!route.credentials.includes(caller.credential))
        throw new Problem(403, "key_cannot_do_this", "An API key cannot do this: sign in.");
      const reads = request.method === "GET" || request.method === "HEAD";
      const key = reads ? null : request.headers.get("idempotency-key");
      if (route.money && key === null) await assertConnected(caller.ctx);
      const body = route.takesBody ? await readPluginBody(request, seen) : undefined;
      // The credential may have ended while the body was held back.
      if (body) caller = await identified();
      const { pathname, search } = new URL(request.url);
      const call = {
        ctx: route.versioned ? basedOn(caller.ctx, request, body?.value) : caller.ctx,
        caller,
        params: ((await context.params) ?? {}) as Record<string, string>,
        body: body?.value ?? {},
        search: new URLSearchParams(search),
      };
      if (key === null) {
        const work = () => handler(call);
        const data = reads
          ? businessTime.run(String(call.ctx.businessId), work, call.ctx.disconnected)
          : work();
        return answer(200, successBody(present(await data)));
      }
      // Two integrations of a business may choose the same key.
      const target = ownTarget(call.ctx, pathname + search);
      const claim = await claimKey(call.ctx, key, request.method, target, body?.text ?? "");
      if ("data" in claim) {
        headers["idempotent-replayed"] = "true";
        return answer(200, successBody(present(claim.data as T), claim.timestamp));
      }
      const ctx = { ...call.ctx, claim };
      const letGo = holdClaim(ctx);
      try {
        if (route.money) await assertConnected(ctx);
        const data = await handler({ ...call, ctx });
        await settleClaim(ctx, db, data);
        return answer(200, successBody(present(data), claim.timestamp));
      } catch (error) {
        await releaseClaim(ctx).catch(() => undefined);
        throw error;
      } finally {
        letGo();
      }
    },
  );
}

/** The context of a write, with the version that it names. Throws 400, and 422 where it names two. */
function basedOn(ctx: Ctx, request: Request, body: unknown): Ctx {
  const { seenVersion, objections } = seenVersionIn(request, body);
  assertNone(objections);
  return seenVersion === undefined ? ctx : { ...ctx, seenVersion };
}

/** Validates by a schema of the contract. Throws 422. */
export function valid<S extends Parameters<typeof check>[0]>(schema: S, input: unknown) {
  const result = check(schema, input);
  if (!result.ok) throw invalid(result.errors);
  return result.data;
}

/** The id in a path. Any other text is a 404, as an unknown id is. */
export function idIn(params: PluginCall["params"], name: string): string {
  const id = params[name] ?? "";
  if (!/^[0-9a-f]{24}$/.test(id)) throw notFound();
  return id;
}

/** Throws 404 unless the path names the business and the integration of the caller. */
export function assertOwnPath({ params, ctx, caller }: PluginCall): void {
  if (params.b !== String(ctx.businessId) || params.i !== String(caller.integration.number))
    throw notFound();
}
