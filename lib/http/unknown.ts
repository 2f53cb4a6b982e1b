import { newRequestId } from "@/lib/kernel/ids";
import { notFound, Problem } from "@/lib/kernel/problem";
import type { Caller } from "./authenticate";
import { countCall, identify } from "./define-route";
import { frontDoor } from "./front-door";
import { problemBody } from "./problems";
import { noteRequest } from "./request-log";
import { fail } from "./respond";
import { isPluginCall, pluginNotServed } from "./shop-plugins";

/**
 * An unknown address under /api: the same 404 as an unknown id, with a sentence for shop plugins. A call with a valid key counts and is
 * logged as any other: a mistyped address is among the first mistakes of a program.
 */
export const unknownAddress = frontDoor(async (request, context) => {
  const began = performance.now();
  const requestId = newRequestId();
  const address = context.clientAddress ?? "unknown";
  const { pathname } = new URL(request.url);
  let problem = isPluginCall(request.method, pathname) ? pluginNotServed() : notFound();
  let headers: Record<string, string> = { "x-request-id": requestId };
  let caller: Caller | undefined;
  try {
    if (request.headers.has("authorization")) {
      caller = await identify<Caller>(request, requestId, address);
      context.caller = caller.ctx;
      headers = { ...headers, ...(await countCall(caller)) };
    }
  } catch (error) {
    // Without a caller it is the same 404: no key makes the address exist.
    if (error instanceof Problem && error.status === 429) problem = error;
  }
  const { rawHeaders } = context;
  noteRequest(
    { request, requestId, address, rawHeaders, began, caller, body: null },
    problem.status,
    problemBody(problem),
  );
  return fail(problem, headers);
});
