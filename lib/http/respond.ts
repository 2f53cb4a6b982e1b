import { metaTimestamp } from "@/lib/kernel/clock";
import type { Problem } from "@/lib/kernel/problem";
import { problemBody } from "./problems";

export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
export const jsonHeaders = { "content-type": "application/json", ...plainHeaders };

/** A success: 200 and the envelope. `timestamp` is given when a stored answer is sent again. */
export function succeed(data: unknown, headers: Record<string, string>, timestamp: string = metaTimestamp()): Response {
  const body = `{"success":true,"data":${JSON.stringify(data)},"errors":null,"meta":{"timestamp":"${timestamp}","timezone":"UTC"}}`;
  return new Response(body, { status: 200, headers: { ...jsonHeaders, ...headers } });
}

/** A failure in its documented shape. */
export function fail(problem: Problem, headers: Record<string, string>): Response {
  return new Response(problemBody(problem), { status: problem.status, headers: { ...jsonHeaders, ...problem.options.headers, ...headers } });
}
