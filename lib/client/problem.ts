import type { FieldErrors } from "@/lib/kernel/problem";

/** A failed call as the API reported it. `status` 0 and code `network`: no response at all. */
export class ApiProblem extends Error {
  override name = "ApiProblem";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Texts by field; empty but for 422. */
    readonly errors: FieldErrors = {},
    readonly requestId: string | null = null,
    /** What the body has besides message, code and errors. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/**
 * Whether the API has refused a call, so that nothing came of it. All else leaves that open: no answer, one of a proxy, an error on the
 * server's side, or an earlier request that still runs.
 */
export const isRefusal = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== unreadable &&
  error.code !== "idempotency_in_progress";

/** The code of an answer that does not come from the API. */
export const unreadable = "unreadable";

/** What to show a person for any failure, one sentence. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiProblem)) return "Something went wrong on this page.";
  if (error.status === 422) return Object.values(error.errors)[0]?.[0] ?? error.message;
  if (error.status === 401 && error.message === "Unauthenticated.")
    return "You were signed out. Sign in in another tab, then try again.";
  if (error.code === "stale_version")
    return "Someone else edited this in the meantime. Look at it again, then repeat.";
  return error.message;
}
