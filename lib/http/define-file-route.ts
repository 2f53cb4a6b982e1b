import type { Endpoint } from "@/lib/contract/endpoint";
import { newRequestId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { authenticate } from "./authenticate";
import { type Call, assertRole, countCall, countCost, identify, validate } from "./define-route";
import { frontDoor } from "./front-door";
import { problemBody, problemOf } from "./problems";
import { noteRequest, type Seen } from "./request-log";
import { plainHeaders, respond } from "./respond";
import type { RouteHandler } from "./route-handler";

/** `name`: to be saved under it; without one it is shown where it is used. */
export type FileAnswer = { body: BodyInit; name?: string };

/** Who makes the call, so that a stream can ask again later whether it still may. */
export type FileCall<E extends Endpoint> = Call<E> & {
  limitBy: string;
  stillAllowed: () => Promise<void>;
};

/**
 * A route that answers with a file or a stream: authenticated, limited and validated as defineRoute does. A link or an EventSource
 * cannot send headers, so staff may name business and mode in the query.
 */
export function defineFileRoute<E extends Endpoint>(
  endpoint: E,
  handler: (call: FileCall<E>) => Promise<FileAnswer>,
): RouteHandler {
  const type =
    endpoint.media === "text/csv" || endpoint.media === "image/svg+xml"
      ? `${endpoint.media}; charset=utf-8`
      : (endpoint.media ?? "");
  return frontDoor(async (given, context) => {
    const requestId = newRequestId();
    let headers: Record<string, string> = { "x-request-id": requestId };
    const address = context.clientAddress ?? "unknown";
    const seen: Seen = {
      endpoint,
      request: given,
      requestId,
      address,
      rawHeaders: context.rawHeaders,
      began: performance.now(),
      caller: undefined,
      body: null,
    };
    try {
      const request = withNames(given);
      const caller = await identify(request, requestId, address);
      seen.caller = caller;
      context.caller = caller.ctx;
      headers = { ...headers, ...(await countCall(caller)) };
      assertRole(endpoint, caller);
      await countCost(endpoint, caller);
      const call = {
        ...(await validate(endpoint, request, { ctx: caller.ctx, params: await context.params })),
        ctx: caller.ctx,
        role: caller.role ?? "owner",
      } as Call<E>;
      // Not counted: above the limit of its address an ended session would be a 429, which ends no stream.
      const stillAllowed = async () => assertRole(endpoint, await authenticate(request, requestId));
      const answer = await handler({ ...call, limitBy: caller.limitBy, stillAllowed });
      noteRequest(seen, 200, null);
      const { name } = answer;
      const body =
        answer.body instanceof ReadableStream && endpoint.media === "text/csv"
          ? whileAllowed(answer.body, stillAllowed, requestId)
          : answer.body;
      // What is made as it goes must not be gathered on the way, neither here nor by a proxy, only to be compressed.
      const streamed: Record<string, string> =
        body instanceof ReadableStream
          ? { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
          : {};
      // An answer to HEAD ends with its headers, and the next one follows on the same connection: a stream would hold it up for ever.
      const isUnread = given.method === "HEAD" && body instanceof ReadableStream;
      if (isUnread) await body.cancel();
      return new Response(isUnread ? null : body, {
        status: 200,
        headers: {
          ...plainHeaders,
          "content-type": type,
          ...(name === undefined
            ? {}
            : { "content-disposition": `attachment; filename="${name}"` }),
          ...streamed,
          ...headers,
        },
      });
    } catch (error) {
      const problem = problemOf(error, requestId);
      const text = problemBody(problem);
      noteRequest(seen, problem.status, text);
      return respond(problem.status, text, { ...headers, ...problem.options.headers });
    }
  });
}

const RECHECK_MS = 1_000;

/** The same bytes for as long as the caller may have them: an export that takes minutes breaks off when its key is revoked or its member leaves. */
function whileAllowed(
  body: ReadableStream,
  stillAllowed: () => Promise<void>,
  requestId: string,
): ReadableStream {
  const brokenOff = (error: unknown) => {
    log.warn({ request_id: requestId, err: error }, "export stopped: the caller lost access");
    // The HTTP server prints what it is given.
    throw new Error("The export broke off.");
  };
  let checked = performance.now();
  return body.pipeThrough(
    new TransformStream({
      transform: async (chunk, controller) => {
        if (performance.now() - checked >= RECHECK_MS) {
          await stillAllowed().catch(brokenOff);
          checked = performance.now();
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

/** What the query names as business and mode; a header takes no other text than such names. */
const nameIn = (search: URLSearchParams, name: "business" | "mode") =>
  /^\w{1,9}$/.exec(search.get(name) ?? "")?.[0] ?? "";

function withNames(request: Request): Request {
  if (request.headers.has("authorization") || request.headers.has("x-kutip-business"))
    return request;
  const { searchParams } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("x-kutip-business", nameIn(searchParams, "business"));
  headers.set("x-kutip-mode", nameIn(searchParams, "mode"));
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
