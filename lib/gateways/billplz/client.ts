import type http from "node:http";
import * as z from "zod";
import { assertNoTransaction } from "@/db/client";
import type { Mode } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { Circuit } from "../circuit";
import type { Connection, Unknown } from "../gateway";
import { type Answer, send, usualLimits } from "../limited-http";
import { Failure } from "./shapes";

const circuit = new Circuit();

/** Where Billplz is. Its sandbox has a host and accounts of its own, so a key works in one mode only. */
export const originOf = (mode: Mode): string =>
  mode === "live"
    ? (env.BILLPLZ_API_URL ?? "https://www.billplz.com")
    : (env.BILLPLZ_SANDBOX_API_URL ?? "https://www.billplz-sandbox.com");

/** `refused`: Billplz understood and did nothing. `silent`: no definite answer. */
export type Trouble = { kind: "refused" | "missing" | "unauthorized" | "silent"; reason: string };
export type BillplzResult<T> = { ok: true; value: T } | { ok: false; trouble: Trouble };

export const unknown = (reason: string): Unknown => ({ kind: "unknown", reason });

type Call = { method: "GET" | "POST" | "DELETE"; path: string; form?: Record<string, string> };
export type Caller = Pick<Connection, "id" | "secret" | "mode">;

const failed = (kind: Trouble["kind"], reason: string): { ok: false; trouble: Trouble } => ({
  ok: false,
  trouble: { kind, reason },
});

/** One request to Billplz, its answer checked against what we read of it. It is never repeated, and it never throws for what Billplz or the network does. */
export async function call<T extends z.ZodType>(
  { id, secret, mode }: Caller,
  what: string,
  { method, path, form }: Call,
  shape: T,
): Promise<BillplzResult<z.output<T>>> {
  assertNoTransaction(what);
  const seconds = circuit.wait(id, Date.now());
  if (seconds > 0)
    return failed(
      "silent",
      `Billplz is in trouble; nothing is sent for another ${seconds} seconds.`,
    );
  const sent = form === undefined ? "" : new URLSearchParams(form).toString();
  let answer: Answer;
  try {
    const request = requestOf(new URL(originOf(mode)), secret, method, path, sent);
    answer = await send("Billplz", request, sent, usualLimits);
  } catch (error) {
    circuit.failed(id, Date.now());
    log.warn({ connection: id, what, err: error }, "Billplz did not answer");
    return failed("silent", "Billplz gave no definite answer.");
  }
  noteHealth(id, answer);
  return read(id, what, answer, shape);
}

function requestOf(base: URL, secret: string, method: string, path: string, sent: string) {
  const headers: http.OutgoingHttpHeaders = {
    authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}`,
    accept: "application/json",
    ...(sent === ""
      ? {}
      : {
          "content-type": "application/x-www-form-urlencoded",
          "content-length": Buffer.byteLength(sent),
        }),
  };
  const protocol = base.protocol === "http:" ? ("http:" as const) : ("https:" as const);
  const port = base.port || (protocol === "http:" ? "80" : "443");
  return { host: base.hostname, port, path: `/api${path}`, method, headers, protocol };
}

/** A 429 says in how many seconds the window of 5 minutes ends. */
function noteHealth(id: string, { status, headers }: Answer): void {
  const asked = Number(headers["ratelimit-reset"] ?? headers["retry-after"]);
  if (status === 429 || status >= 500)
    circuit.failed(id, Date.now(), Number.isFinite(asked) && asked > 0 ? asked : undefined);
  else circuit.answered(id);
}

function read<T extends z.ZodType>(
  id: string,
  what: string,
  { status, text }: Answer,
  shape: T,
): BillplzResult<z.output<T>> {
  const body = parsed(text);
  if (status === 200 || status === 201) {
    const known = shape.safeParse(body);
    if (known.success) return { ok: true, value: known.data };
    log.error(
      { connection: id, what, problem: z.prettifyError(known.error) },
      "Billplz's answer is not of the shape we know",
    );
    return failed("silent", "Billplz's answer could not be read.");
  }
  if (status === 404) return failed("missing", "Billplz has no such object.");
  if (status === 422) return failed("refused", reasonIn(body));
  log.warn({ connection: id, what, status }, "Billplz did not answer as hoped");
  return status === 401
    ? failed("unauthorized", "Billplz does not accept the key of this connection.")
    : failed("silent", "Billplz gave no definite answer.");
}

function reasonIn(body: unknown): string {
  const failure = Failure.safeParse(body);
  const message = failure.success ? [failure.data.error.message ?? []].flat().join(" ") : "";
  return (message || "Billplz refused the request.").slice(0, 300);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
