import type * as z from "zod";
import type { Mode } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import type { Connection, Unknown } from "../gateway";
import { jsonCalls, readShape } from "../json-calls";
import { Failure } from "./shapes";

const TITLE = "Billplz";
const send = jsonCalls(TITLE, { limitsReadsOnly: true });

/** Where Billplz is. Its sandbox has a host and accounts of its own, so a key works in one mode only. */
export const originOf = (mode: Mode): string =>
  mode === "live"
    ? (env.BILLPLZ_API_URL ?? "https://www.billplz.com")
    : (env.BILLPLZ_SANDBOX_API_URL ?? "https://www.billplz-sandbox.com");

/** `refused`: Billplz understood and did nothing. `missing`: Billplz itself says that it has no such object. `silent`: no definite answer. */
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
  const answer = await send(id, what, {
    base: originOf(mode),
    method,
    path: `/api${path}`,
    headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}` },
    ...(form && {
      body: {
        type: "application/x-www-form-urlencoded",
        text: new URLSearchParams(form).toString(),
      },
    }),
  });
  if (answer.kind === "silent") return failed("silent", answer.reason);
  const { status, body } = answer;
  if (status === 200 || status === 201) {
    const value = readShape(TITLE, shape, body, { connection: id, what });
    return value === undefined
      ? failed("silent", "Billplz's answer could not be read.")
      : { ok: true, value };
  }
  // A 404 without Billplz's own error may be of a proxy, and proves nothing.
  if (status === 404 && Failure.safeParse(body).data?.error.type)
    return failed("missing", "Billplz has no such object.");
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
