import type { FieldErrors } from "@/lib/kernel/problem";

/** A call that failed, as the API told it. `status` 0 and code `network`: no answer came at all. */
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

/** What to show a person for any failure, one sentence. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiProblem)) return "Something went wrong on this page.";
  if (error.status === 0) return "Kutip cannot be reached. Nothing is known to have changed.";
  if (error.status === 422) return Object.values(error.errors)[0]?.[0] ?? error.message;
  return error.message;
}
