import { randomUUID } from "node:crypto";
import { log } from "@/lib/kernel/log";

/** Logs one line for an API request: caller, path, status, milliseconds. Sets `x-request-id` on a response without one. */
export function noteAccess(
  method: string,
  target: string,
  response: Response,
  ms: number,
  caller?: { businessId: number; mode: string },
  clientAddress?: string,
): void {
  let requestId = response.headers.get("x-request-id");
  if (requestId === null) response.headers.set("x-request-id", (requestId = randomUUID()));
  // Health checks come every few seconds; only a change is worth a line.
  if (response.status === 200 && /^\/api\/health(\/|$)/.test(target)) return;
  log.info(
    {
      request_id: requestId,
      method,
      path: loggable(target),
      status: response.status,
      ms: Math.round(ms * 10) / 10,
      business_id: caller?.businessId,
      mode: caller?.mode,
      client_address: isAccountCall(target) ? clientAddress : undefined,
    },
    "request",
  );
}

/** Sign-in and other calls that open or change an account: an investigation needs their addresses. */
const isAccountCall = (target: string) =>
  /^\/api\/(auth|me|setup|sign-up|invitations|v1\/auth)([/?]|$)/.test(target);

/** The path without its query. A segment that is neither a route's name nor an id may be a secret, and becomes `*`. */
export function loggable(target: string): string {
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  return path
    .slice(0, 500)
    .replace(/[^/]+/g, (segment) =>
      /^[a-z_.-]{1,30}$|^[0-9a-f]{24}$|^\d{1,10}$/.test(segment) ? segment : "*",
    );
}
