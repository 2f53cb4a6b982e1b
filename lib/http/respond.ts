import { env } from "@/lib/env";
import { metaTimestamp } from "@/lib/kernel/clock";
import type { Problem } from "@/lib/kernel/problem";
import { problemBody } from "./problems";

export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
export const jsonHeaders = { "content-type": "application/json", ...plainHeaders };

/** What every answer of an https install carries besides its own headers. */
export const securityHeaders = (): Record<string, string> =>
  env.BASE_URL.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {};

// Equal calls share a page (see the list of payment links): it becomes text once.
const pageTexts = new WeakMap<object, string>();

function jsonOf(data: unknown): string {
  if (typeof data !== "object" || data === null || !("per_page" in data))
    return JSON.stringify(data);
  let text = pageTexts.get(data);
  if (text === undefined) pageTexts.set(data, (text = JSON.stringify(data)));
  return text;
}

/** The envelope of a success. `timestamp` is given when a stored answer is sent again. */
export function successBody(data: unknown, timestamp: string = metaTimestamp()): string {
  return `{"success":true,"data":${jsonOf(data)},"errors":null,"meta":{"timestamp":"${timestamp}","timezone":"UTC"}}`;
}

/** An answer of the API, its body being JSON already. */
export function respond(status: number, body: string, headers: Record<string, string>): Response {
  return new Response(body, { status, headers: { ...jsonHeaders, ...headers } });
}

/** A success: 200 and the envelope. */
export const succeed = (data: unknown, headers: Record<string, string>): Response =>
  respond(200, successBody(data), headers);

/** A failure in its documented shape. Its own headers come last: those of a limit name the one that was reached. */
export function fail(problem: Problem, headers: Record<string, string>): Response {
  return respond(problem.status, problemBody(problem), { ...headers, ...problem.options.headers });
}
