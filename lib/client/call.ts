import type * as z from "zod";
import type { Operation } from "@/lib/contract/endpoint";
import type { Declarations } from "@/lib/contract/operations";
import type { FieldErrors } from "@/lib/kernel/problem";
import { ApiProblem, unreadable } from "./problem";
import { reauthenticated } from "./reauthentication";
import { type Scope, scopeOf } from "./scope";

type Declared<T> = NonNullable<T> extends z.ZodType ? z.input<NonNullable<T>> : undefined;
type Value = string | number | boolean | null | undefined;
/** Query values as a page has them; null, undefined and "" are left out of the address. */
type Query<T> = T extends object ? { [K in keyof T]?: Value } : undefined;

/** A declared endpoint. The compiler knows its schemas by its id; pages do not load them. */
export type Known = Operation & { readonly id: keyof Declarations };
type Shape<O extends Known> = Declarations[O["id"]];

export type Params<O extends Known> = Declared<Shape<O>["params"]>;
export type Body<O extends Known> = Declared<Shape<O>["body"]>;
export type Data<O extends Known> = z.output<Shape<O>["response"]>;

type Part<Name extends string, T> = undefined extends T
  ? { [K in Name]?: undefined }
  : { [K in Name]: T };
type Optional<Name extends string, T> = { [K in Name]?: T };

/** What an endpoint reads: its path parameters and its query. */
export type Asked<O extends Known> = Part<"params", Params<O>> &
  Optional<"query", Query<Declared<Shape<O>["query"]>>>;
/** What a call to an endpoint takes. */
export type Input<O extends Known> = Asked<O> & Part<"body", Body<O>>;

export type CallOptions = {
  /** Undefined takes it from the page's address; null is for calls outside any business. */
  scope?: Scope | null;
  signal?: AbortSignal;
  /** The same key sent again gives the same answer instead of a second object. */
  idempotencyKey?: string;
};

type Loose = { params?: unknown; query?: unknown; body?: unknown };

/** The address of a call: parameters filled in and encoded, what is blank left out of the query. */
export function addressOf(endpoint: Operation, { params, query }: Loose): string {
  const values = (params ?? {}) as Record<string, Value>;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, Value>)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `/api${path}${text ? `?${text}` : ""}`;
}

/** Calls an endpoint by its declaration with the session's cookie and gives the envelope's `data`. Throws ApiProblem. */
export async function call<O extends Known>(
  endpoint: O,
  input: Input<O>,
  { scope, signal, idempotencyKey }: CallOptions = {},
): Promise<Data<O>> {
  const { body } = input as Loose;
  const from = scope === undefined ? scopeOf(window.location.pathname) : scope;
  const headers: Record<string, string> = { accept: "application/json" };
  if (from)
    Object.assign(headers, { "x-kutip-business": from.business, "x-kutip-mode": from.mode });
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
  const answer = await reach(addressOf(endpoint, input as Loose), {
    method: endpoint.method,
    headers,
    signal,
    credentials: "same-origin",
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return (answer as { data: Data<O> }).data;
}

/**
 * `fetch` of one of our addresses; gives the JSON of a success. Throws ApiProblem for all else. Where the call needs a recent proof, the
 * person is asked for it and the same call is made once more.
 */
export async function reach(address: string, init: RequestInit): Promise<unknown> {
  try {
    return await reachOnce(address, init);
  } catch (error) {
    const needsProof = error instanceof ApiProblem && error.code === "reauthentication_required";
    if (!needsProof || !(await reauthenticated())) throw error;
    return reachOnce(address, init);
  }
}

async function reachOnce(address: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw noAnswer(init);
  }
  const json: unknown = await response.json().catch(() => null);
  // A connection that breaks inside an answer leaves half of it.
  if (response.ok && json === null) throw noAnswer(init);
  if (!response.ok) throw problemFrom(response, json);
  return json;
}

const noAnswer = ({ method = "GET" }: RequestInit) =>
  new ApiProblem(
    0,
    "network",
    method === "GET"
      ? "Kutip cannot be reached."
      : "Kutip cannot be reached. This may have gone through: look before you repeat it.",
  );

function problemFrom(response: Response, json: unknown): ApiProblem {
  const { message, code, errors, ...details } = (json ?? {}) as {
    message?: string;
    code?: string;
    errors?: FieldErrors;
  };
  const requestId = response.headers.get("x-request-id");
  const fallback =
    response.status >= 500 ? "Something went wrong on our side." : "The call was refused.";
  return new ApiProblem(
    response.status,
    json === null ? unreadable : (code ?? (response.status === 422 ? "invalid_data" : "unknown")),
    message ?? fallback,
    errors ?? {},
    requestId,
    details,
  );
}
