/** Texts by field, in the 422's words. */
export type FieldErrors = Record<string, string[]>;

export type ProblemCode =
  | "malformed_request"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "stale_version"
  | "not_payable"
  | "gateway_not_connected"
  | "refund_unsupported"
  | "payload_too_large"
  | "unsupported_media_type"
  | "invalid_data"
  | "too_many_requests"
  | "internal_error"
  | "unavailable"
  | "idempotency_in_progress"
  | "secret_already_shown"
  | "key_cannot_do_this"
  | "email_unverified"
  | "reauthentication_required"
  | "cross_origin";

/**
 * A failure a caller is meant to see. Thrown anywhere, turned into an answer in one place (lib/http/problems.ts).
 * `message` is shown to the caller and therefore never holds anything inner.
 */
export class Problem extends Error {
  override name = "Problem";
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    message: string,
    readonly options: {
      errors?: FieldErrors;
      headers?: Record<string, string>;
      /** More fields of the body, beside message, code and errors. */
      details?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }
}

/** 404: unknown, malformed, deleted, another business's and the other mode's ids all look the same. */
export const notFound = () => new Problem(404, "not_found", "Not found.");

/** 403: the account opens nothing until its address is proven. */
export const unverified = () =>
  new Problem(
    403,
    "email_unverified",
    "Confirm your e-mail address first, under Settings → Security.",
  );

/** 409 with a sentence that says why. */
export const conflict = (message: string) => new Problem(409, "conflict", message);

/** 409: the payment link takes no money in its present state. */
export const notPayable = () =>
  new Problem(409, "not_payable", "This payment link cannot be paid now.");

/** 422 with texts by field. */
export const invalid = (errors: FieldErrors) =>
  new Problem(422, "invalid_data", "The given data was invalid.", { errors });

/** Throws 422 where anything is objected to. */
export function assertNone(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** 400: the request could not be read. */
export const malformed = (message: string) => new Problem(400, "malformed_request", message);

/** 503 with Retry-After in seconds: the database or another part is away for the moment. */
export const unavailable = (cause?: unknown, seconds = 1) =>
  new Problem(503, "unavailable", "The service is temporarily unavailable.", {
    headers: { "retry-after": String(seconds) },
    cause,
  });

/** 429 with Retry-After in seconds: a business has as much costly work under way as it may have. */
export const overloaded = (seconds: number, cause?: unknown) =>
  new Problem(429, "too_many_requests", "Too much costly work is under way. Try again later.", {
    headers: { "retry-after": String(seconds) },
    cause,
  });
