import { ApiProblem, unreadable } from "@/lib/client/problem";

const STATUSES: ReadonlySet<number> = new Set([404, 410, 422]);
/** better-auth sends them with a 400 or 401. */
const CODES: ReadonlySet<string> = new Set(["INVALID_TOKEN", "TOKEN_EXPIRED", "USER_NOT_FOUND"]);

/** Whether the API says that a one-time link opens nothing: it is unknown, used, revoked or expired. Any other failure may pass. */
export const isGone = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem &&
  error.code !== unreadable &&
  (STATUSES.has(error.status) || CODES.has(error.code));
