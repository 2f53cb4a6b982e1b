import type { Role } from "@/lib/contract/values";
import type * as z from "zod";
import type { Endpoint } from "@/lib/contract/endpoint";
import { check, validFields } from "@/lib/contract/messages";
import { assertConnected } from "@/lib/domain/gateway-connections/connected";
import { recordCall } from "@/lib/domain/audit/record";
import type { Claim, Ctx, AuditContext } from "@/lib/domain/context";
import {
  claimKey,
  holdClaim,
  ownTarget,
  releaseClaim,
  settleClaim,
} from "@/lib/domain/idempotency/claim";
import { cursorObjections } from "@/lib/domain/lists";
import { db, withTransaction } from "@/db/client";
import { newRequestId } from "@/lib/kernel/ids";
import { addressKey } from "@/lib/kernel/ip";
import { businessTime } from "@/lib/domain/business-time";
import { consume } from "@/lib/domain/limits/limits";
import { assertNone, type FieldErrors, notFound, Problem } from "@/lib/kernel/problem";
import { authenticate, type Caller } from "./authenticate";
import { callingMember } from "@/lib/domain/team/members";
import { ownersNotice } from "@/lib/domain/team/notices";
import { readBody } from "./body";
import { seenVersionIn } from "./if-match";
import { frontDoor } from "./front-door";
import { optionalHeader } from "./optional-header";
import { problemBody, problemOf } from "./problems";
import { assertRecentProof, isSensitive } from "./reauthentication";
import { noteRequest, type Seen } from "./request-log";
import { respond, successBody } from "./respond";
import type { RouteHandler } from "./route-handler";

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
export type Call<E extends Endpoint> = {
  ctx: Ctx;
  /** Of signed-in staff; a key counts as an owner here, since roles limit people only. */
  role: Role;
  params: Parsed<NonNullable<E["params"]>>;
  query: Parsed<NonNullable<E["query"]>>;
  body: Parsed<NonNullable<E["body"]>>;
  headers: Headers;
  /** The query as it came, for page addresses. */
  search: URLSearchParams;
};

/** A request that failed its schemas: the valid fields, and the errors of the others. */
type PartialInput<E extends Endpoint> = Pick<Call<E>, "ctx" | "params" | "headers"> & {
  query: Partial<Call<E>["query"]>;
  body: Partial<Call<E>["body"]>;
  errors: FieldErrors;
};
type ValidateAgainstRecords<E extends Endpoint> = (
  partial: PartialInput<E>,
) => FieldErrors | Promise<FieldErrors>;

type CheckedBody<Body> = { ok: true; data: Body } | { ok: false; errors: FieldErrors };
type ReadChecked<Body> = (ctx: Ctx, text: string, csv: boolean) => Promise<CheckedBody<Body>>;

/**
 * A route from its declaration and its handler, in one fixed order: request id, authenticate, rate limit, role, gateway, body,
 * authenticate and role again, validate, idempotency claim, handler, envelope. Where a claim is made, the gateway is checked after it.
 * Every failure is thrown and answered in problems.ts. `validateAgainstRecords` is asked only where the schemas refuse something, for
 * what the handler would refuse besides: all violations are to come at once. `readChecked` parses and checks the body elsewhere, where
 * it is too large for the web thread.
 */
export function defineRoute<E extends Endpoint, Body = Call<E>["body"]>(
  endpoint: E,
  handler: (call: Omit<Call<E>, "body"> & { body: Body }) => Promise<z.output<E["response"]>>,
  validateAgainstRecords?: ValidateAgainstRecords<E>,
  readChecked?: ReadChecked<Body>,
): RouteHandler {
  const takesBody = endpoint.body !== undefined;
  const keyed = endpoint.method !== "GET";
  return frontDoor(async (request, context) => {
    const requestId = newRequestId();
    let headers: Record<string, string> = { "x-request-id": requestId };
    let claimed: Ctx | undefined;
    let letGo: (() => void) | undefined;
    const seen: Seen = {
      endpoint,
      request,
      requestId,
      address: context.clientAddress ?? "unknown",
      rawHeaders: context.rawHeaders,
      began: performance.now(),
      caller: undefined,
      body: null,
    };
    const answer = (status: number, text: string) => {
      noteRequest(seen, status, text);
      return respond(status, text, headers);
    };
    try {
      const identified = () => identify(request, requestId, context.clientAddress ?? "unknown");
      let caller = await identified();
      seen.caller = caller;
      context.caller = caller.ctx;
      headers = { ...headers, ...(await countCall(caller)) };
      assertRole(endpoint, caller);
      const key = keyed ? optionalHeader(request, "idempotency-key") : null;
      // Under a key only once it is claimed: a replay is answered whether or not a gateway is connected now.
      if (endpoint.money && key === null) await assertConnected(caller.ctx);
      await countCost(endpoint, caller);
      const body = takesBody
        ? await readBody(
            endpoint,
            request,
            (text) => (seen.body = text),
            readChecked && ((text, csv) => readChecked(caller.ctx, text, csv)),
          )
        : undefined;
      if (takesBody) {
        // A body may be held back for half a minute, in which a session, a role or a key can end.
        caller = await identified();
        assertRole(endpoint, caller);
      }
      const call = await validate(
        endpoint,
        request,
        readChecked
          ? {
              ctx: caller.ctx,
              params: await context.params,
              checked: body?.value as CheckedBody<Body>,
            }
          : { ctx: caller.ctx, params: await context.params, body: body?.value },
        validateAgainstRecords,
      );
      const sensitive =
        caller.kind === "staff" && isSensitive(endpoint, caller.ctx.mode, call.body);
      if (sensitive) assertRecentProof(caller);
      let ctx: Ctx =
        caller.kind === "staff" && (keyed || sensitive)
          ? {
              ...caller.ctx,
              audit: {
                ...trailOf(endpoint, call, context.clientAddress),
                ...holdOf(endpoint, caller),
                ...(sensitive ? { notify: await ownersNotice(caller.ctx) } : {}),
              },
            }
          : caller.ctx;
      if (call.seenVersion !== undefined) ctx = { ...ctx, seenVersion: call.seenVersion };
      if (key !== null) {
        const { pathname, search } = new URL(request.url);
        const claim = await claimKey(
          ctx,
          key,
          endpoint.method,
          endpoint.ownOnly ? ownTarget(ctx, pathname + search) : pathname + search,
          body?.text ?? "",
          endpoint.showsSecret,
        );
        if (!isClaim(claim)) {
          headers = { ...headers, "idempotent-replayed": "true" };
          return answer(200, successBody(claim.data, claim.timestamp));
        }
        ctx = { ...ctx, claim };
        claimed = ctx;
        letGo = holdClaim(ctx);
        if (endpoint.money) await assertConnected(ctx);
      }
      const work = () =>
        handler({ ...call, ctx, role: caller.role ?? "owner" } as Omit<Call<E>, "body"> & {
          body: Body;
        });
      const data = await (sharesTime(endpoint, caller)
        ? businessTime.run(String(ctx.businessId), work, ctx.disconnected)
        : work());
      await settleClaim(ctx, db, data);
      if (ctx.audit && !ctx.audit.written) await withTransaction((tx) => recordCall(ctx, tx, data));
      claimed = undefined;
      return answer(200, successBody(data, ctx.claim?.timestamp));
    } catch (error) {
      const problem = problemOf(error, requestId);
      if (claimed) await releaseClaim(claimed).catch(() => undefined);
      headers = { ...headers, ...problem.options.headers };
      return answer(problem.status, problemBody(problem));
    } finally {
      letGo?.();
    }
  });
}

const isClaim = (claim: Claim | { data: unknown }): claim is Claim => !("data" in claim);

/** Owners and admins alone make what outlasts a membership, such as API keys. Their calls hold it, and those of other staff save that statement. */
function holdOf({ roles }: Endpoint, { ctx }: Caller): Pick<AuditContext, "hold"> {
  if (roles.includes("staff")) return {};
  return { hold: (tx) => callingMember(ctx, tx, (role) => roles.includes(role)) };
}

/** Names the fields that came, not what was in them: payers' data has no place in a log that is never shortened. */
function trailOf(endpoint: Endpoint, call: { body: unknown }, address = "unknown"): AuditContext {
  const fields = typeof call.body === "object" && call.body !== null ? Object.keys(call.body) : [];
  return {
    action: endpoint.id,
    address,
    details: fields.length > 0 ? { fields } : {},
    written: false,
  };
}

/** Who calls. Only failures count against the address, so a good key works while others guess from there. Throws 401 with what is left of that limit, 429, and for staff 400 and 403. */
export async function identify<C = Caller>(
  request: Request,
  requestId: string,
  address: string,
  prove: (request: Request, requestId: string) => Promise<C> = authenticate as never,
): Promise<C> {
  try {
    return await prove(request, requestId);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    const left = await consume("anonymous", addressKey(address));
    throw new Problem(error.status, error.code, error.message, {
      headers: { ...error.options.headers, ...left },
    });
  }
}

/**
 * Counts a call against its key or person, then against its business. Throws 429. A key that is refused takes nothing from the other
 * keys; staff count as persons alone, so that a runaway integration never closes the dashboard.
 */
export async function countCall(caller: Caller): Promise<Record<string, string>> {
  const headers = await consume("key", caller.limitBy);
  if (caller.kind === "key") await consume("business", String(caller.ctx.businessId));
  return headers;
}

/** Takes the price of a costly call from its business, for keys and staff alike. Throws 429. */
export async function countCost({ cost }: Endpoint, { ctx }: Caller): Promise<void> {
  if (cost !== undefined) await consume("cost", String(ctx.businessId), cost);
}

/**
 * Whether the call's time is taken from its business's share. Other writes are short or wait for a gateway, and staff are people: a
 * runaway integration never slows the dashboard.
 */
const sharesTime = ({ method, cost, waits }: Endpoint, { kind }: Caller) =>
  kind === "key" && !waits && (method === "GET" || cost !== undefined);

/** Whether the caller may make this call at all. Throws 403. */
export function assertRole(endpoint: Endpoint, { kind, role }: Caller): void {
  if (kind === "key" && endpoint.access === "staff")
    throw new Problem(403, "key_cannot_do_this", "An API key cannot do this: sign in.");
  if (kind === "staff" && !(role && endpoint.roles.includes(role)))
    throw new Problem(403, "forbidden", "Your role does not allow this.");
}

/** Path, query, body and If-Match together, so that all violations come at once. A malformed id is a 404 like any unknown one. */
export async function validate<E extends Endpoint>(
  endpoint: E,
  request: Request,
  {
    ctx,
    params,
    body,
    checked,
  }: { ctx: Ctx; params: unknown; body?: unknown; checked?: CheckedBody<unknown> },
  validateAgainstRecords?: ValidateAgainstRecords<E>,
) {
  if (endpoint.params && !endpoint.params.safeParse(params).success) throw notFound();
  const { seenVersion, objections } = endpoint.versioned
    ? seenVersionIn(request, body)
    : { seenVersion: undefined, objections: {} };
  const errors: FieldErrors = { ...objections };
  const sound = (result: CheckedBody<unknown>) => {
    if (result.ok) return result.data;
    Object.assign(errors, result.errors);
    return undefined;
  };
  const part = (schema: z.ZodType | undefined, value: unknown) =>
    schema && sound(check(schema, value));
  const at = request.url.indexOf("?");
  const search = new URLSearchParams(at < 0 ? "" : request.url.slice(at));
  const given = Object.fromEntries(search);
  const call = {
    params,
    query: part(endpoint.query, given),
    body: checked ? sound(checked) : part(endpoint.body, body),
    headers: request.headers,
    search,
    seenVersion,
  };
  if (Object.keys(errors).length === 0) return call;
  const partial = {
    ctx,
    params,
    headers: request.headers,
    query: validFields(endpoint.query, given),
    body: validFields(endpoint.body, body),
    errors,
  } as PartialInput<E>;
  assertNone(
    together(
      cursorObjections(ctx, pathOf(endpoint, params), partial.query ?? {}, errors),
      withoutFalseAbsence((await validateAgainstRecords?.(partial)) ?? {}, errors),
      errors,
    ),
  );
  return call;
}

/** What the records' check found, but for "is required" on a field that the schemas refused: the field was sent, and the check was not given it. */
function withoutFalseAbsence(found: FieldErrors, errors: FieldErrors): FieldErrors {
  const refused = new Set(Object.keys(errors).map((name) => name.split(".", 1)[0]));
  const isFalse = (field: string, text: string) =>
    refused.has(field) && text.includes(" field is required");
  return Object.fromEntries(
    Object.entries(found)
      .map(([field, texts]) => [field, texts.filter((text) => !isFalse(field, text))] as const)
      .filter(([, texts]) => texts.length > 0),
  );
}

/** All texts by field, those of the first first. */
function together(...all: FieldErrors[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const [field, texts] of all.flatMap((one) => Object.entries(one)))
    errors[field] = [...new Set([...(errors[field] ?? []), ...texts])];
  return errors;
}

/** The path of a call below `/api`, as lists name theirs. */
const pathOf = (endpoint: Endpoint, params: unknown) =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String((params as Record<string, unknown>)[name]),
  );
