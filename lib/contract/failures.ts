import type { ProblemCode } from "@/lib/kernel/problem";
import type { Endpoint } from "./endpoint";

/** One way a call can fail: `when` is a sentence for the reader. */
export type Failing = { status: number; code: ProblemCode; message: string; when: string };

const one = (status: number, code: ProblemCode, message: string, when: string): Failing => ({
  status,
  code,
  message,
  when,
});

const unreadable = one(
  400,
  "malformed_request",
  "The request body is not valid JSON.",
  "The body, the Idempotency-Key header or the If-Match header cannot be read.",
);
const unauthenticated = one(
  401,
  "unauthenticated",
  "Unauthenticated.",
  "The key is missing, mistyped, expired or revoked.",
);
const unnamed = one(
  400,
  "malformed_request",
  "Name the business in X-Kutip-Business and the mode, test or live, in X-Kutip-Mode.",
  "Signed-in staff who do not name a business and a mode.",
);
const forbidden = one(
  403,
  "forbidden",
  "Your role does not allow this.",
  "Signed-in staff without the role for it, or who are not members of the business.",
);
const unverified = one(
  403,
  "email_unverified",
  "Confirm your e-mail address first, under Settings → Security.",
  "Signed-in staff who have not confirmed their e-mail address.",
);
const crossOrigin = one(
  403,
  "cross_origin",
  "This call must come from Kutip's own pages.",
  "A call with a session's cookie that does not come from Kutip's own pages.",
);
const keyCannot = one(
  403,
  "key_cannot_do_this",
  "An API key cannot do this: sign in.",
  "What only signed-in staff may do, called with an API key.",
);
const unproven = one(
  403,
  "reauthentication_required",
  "Confirm that it is you, then try again.",
  "The sign-in or renewed proof of signed-in staff is older than 10 minutes.",
);
const missing = one(
  404,
  "not_found",
  "Not found.",
  "Unknown, malformed, deleted, of another business or of the other mode: all alike.",
);
/** What a call meets with a method that its address does not take. */
export const wrongMethod = one(
  405,
  "method_not_allowed",
  "This address does not take that method.",
  "The address takes other methods; see Allow.",
);
const noGateway = one(
  409,
  "gateway_not_connected",
  "Connect a payment provider for live mode first.",
  "In live mode, as long as no gateway is connected.",
);
const notPayable = one(
  409,
  "not_payable",
  "This payment link cannot be paid now.",
  "The link is paid, expired, cancelled or being processed.",
);
const refundUnsupported = one(
  409,
  "refund_unsupported",
  "This payment cannot be refunded through the provider's API. Refund it there, then record the refund here.",
  "The payment provider cannot refund this payment through its API. The message says what staff do instead.",
);
const stale = one(
  409,
  "stale_version",
  "This record was edited after version 6: it is at version 7 now.",
  "`version` or `If-Match` names another version than the record has; `current` is the record as it is.",
);
const running = one(
  409,
  "idempotency_in_progress",
  "A request with this idempotency key is still running.",
  "The first request with this Idempotency-Key still runs; see Retry-After.",
);
const secretShown = one(
  409,
  "secret_already_shown",
  "This request was done already. Its answer held a secret, which is shown only once.",
  "A repeated request with the same Idempotency-Key: the change was made, and the secret in its answer is not shown again.",
);
/** A size as a sentence writes it. */
export const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
const tooLarge = ({ maxBytes = 64 * 1024 }: Endpoint) => {
  const message = `The request body is larger than ${sizeOf(maxBytes)}.`;
  return one(413, "payload_too_large", message, message.replace("request body", "body"));
};
const wrongType = one(
  415,
  "unsupported_media_type",
  "The Content-Type header must be application/json.",
  "The Content-Type is not application/json, or there is a Content-Encoding.",
);
const tooMany = one(
  429,
  "too_many_requests",
  "Too many requests.",
  "More requests a minute than allowed; see Retry-After.",
);
const broken = one(
  500,
  "internal_error",
  "Something went wrong on our side.",
  "A fault on our side; X-Request-Id helps to find it.",
);
const away = one(
  503,
  "unavailable",
  "The service is temporarily unavailable.",
  "The database is away for the moment; see Retry-After.",
);

/** What signed-in staff can meet at every endpoint of a business, and programs never. */
export const staffFailures: readonly Failing[] = [forbidden, unverified, crossOrigin];

/** Every failure of an endpoint but the 422, by status. */
export function failuresOf(endpoint: Endpoint): Failing[] {
  const writes = endpoint.method !== "GET";
  const ofBusiness = endpoint.access === "key" || endpoint.access === "staff";
  const list: Array<Failing | false> = [
    writes ? unreadable : ofBusiness && unnamed,
    endpoint.access !== "public" && unauthenticated,
    endpoint.signedOut !== undefined && { ...unauthenticated, when: endpoint.signedOut },
    endpoint.access === "staff" && keyCannot,
    ofBusiness && forbidden,
    endpoint.closed !== undefined &&
      one(403, "forbidden", "A sentence that says why.", endpoint.closed),
    ofBusiness && unverified,
    writes && crossOrigin,
    endpoint.reauthenticate !== undefined && unproven,
    endpoint.params !== undefined && missing,
    endpoint.missing !== undefined && { ...missing, when: endpoint.missing },
    endpoint.money && noGateway,
    endpoint.noGateway !== undefined && { ...noGateway, when: endpoint.noGateway },
    endpoint.conflict !== undefined &&
      one(409, "conflict", "A sentence that says why.", endpoint.conflict),
    endpoint.payable === true && notPayable,
    endpoint.refunds === true && refundUnsupported,
    endpoint.versioned !== undefined && stale,
    writes && running,
    writes && endpoint.showsSecret === true && secretShown,
    endpoint.body !== undefined && tooLarge(endpoint),
    endpoint.body !== undefined && wrongType,
    tooMany,
    broken,
    away,
  ];
  return list.filter((failing) => failing !== false);
}

/** What a call meets at an address or with a method that is none of an API key's endpoints. */
export const commonFailures: readonly Failing[] = [keyCannot, wrongMethod];

/** Whether a call can answer 422: it takes fields, or an Idempotency-Key that may come with another body. */
export const canBeInvalid = (endpoint: Endpoint): boolean =>
  endpoint.body !== undefined || endpoint.query !== undefined || endpoint.method !== "GET";
