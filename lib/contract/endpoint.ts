import "./zod-in-pages";
import type * as z from "zod";
import { type Role, roles } from "./values";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * Who may call: `key` an API key or signed-in staff; `staff` only signed-in staff with one of `roles`; `person` anybody signed in,
 * for themselves and without a business; `public` anybody.
 */
export type Access = "key" | "staff" | "person" | "public";

export type Reauthentication = "always" | "live" | "manages" | "address";

/** How an endpoint is called and by whom, without what goes in and out: all that a page needs that only reads. */
export type Operation = {
  readonly id: string;
  readonly method: Method;
  /** Below `/api`, parameters in braces: `/payment-links/{payment_link_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly access: Access;
  /** Staff below this set get 403; a key is never limited by it. Viewers only read. */
  readonly roles: readonly Role[];
};

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> = Operation & {
  readonly summary: string;
  /** True where the call leads to money: refused in live mode until a gateway is connected. */
  readonly money: boolean;
  /** The path before 1.0, served until 1.1 by a route file of its own. */
  readonly formerPath?: string;
  /** Points that a call takes from the business's budget of costly work (RATE_LIMIT_COST a minute); absent where a call is cheap. */
  readonly cost?: number;
  /** Its time is spent waiting for the worker, so it is not counted as time of the business (RATE_LIMIT_TIME). */
  readonly waits?: true;
  readonly description?: string;
  /**
   * Signed-in people need a sign-in or a renewed proof of the last 10 minutes. `always`, only in `live` mode, or only where the body
   * names a role that `manages` (owner or admin). `address`: only where it names one that live records go to from then on.
   */
  readonly reauthenticate?: Reauthentication;
  /** When it answers 409 with the code `conflict`. */
  readonly conflict?: string;
  /** When it answers 409 with the code `gateway_not_connected`, though it is not for money as a whole. */
  readonly noGateway?: string;
  /** When it answers 404, though its path has no parameter. */
  readonly missing?: string;
  /** When it answers 401, though it is public. */
  readonly signedOut?: string;
  /** When it answers 403 with the code `forbidden`, though it is public. */
  readonly closed?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The payment link must be one that can be paid: else 409 `not_payable`. */
  readonly payable?: true;
  /** The gateway may have no way to refund the payment: 409 `refund_unsupported`. */
  readonly refunds?: true;
  /**
   * The write may name the version it is based on, by `If-Match` or, where it has a body, by `version` in it: 409 `stale_version` unless that is
   * current. The schema of the record that the version is of, where the response is another.
   */
  readonly versioned?: true | z.ZodType;
  /** It changes nothing but what the caller keeps for themselves, so viewers may call it too. */
  readonly ownOnly?: true;
  /** Every field is optional, so the body may be left out altogether. */
  readonly mayBeEmpty?: true;
  /** Limit of the body; 64 KiB by default. */
  readonly maxBytes?: number;
  /** The body may be `text/csv` too: its rows become the field `rows`. */
  readonly takesCsv?: true;
  /** The answer holds a secret that is shown this once: it is not kept, and a replay is refused. */
  readonly showsSecret?: true;
  /** Viewers get the answer with fields left out, so they may not read another caller's answer in the request log. */
  readonly hidesFromViewers?: true;
  /** Returns a file of this type instead of the envelope. */
  readonly media?: string;
  /** The `data` of a success. */
  readonly response: Response;
};

type Declared<E> = Omit<E, "access" | "roles" | "money"> & {
  access?: Access;
  roles?: readonly Role[];
  money?: boolean;
};

const readers: readonly Role[] = roles;
const writers: readonly Role[] = ["owner", "admin", "staff"];

/** Declares an endpoint: pure data that feeds route, form, typed client, OpenAPI entry and generated tests. */
export function endpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>(
  declared: Declared<Endpoint<Params, Query, Body, Response>>,
): Endpoint<Params, Query, Body, Response> {
  return {
    access: "key",
    roles: declared.method === "GET" ? readers : writers,
    money: false,
    ...declared,
  };
}
