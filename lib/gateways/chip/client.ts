import * as z from "zod";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import type { Connection, Unknown } from "../gateway";
import { jsonCalls, parsedJson, readShape, sendJson } from "../json-calls";
import { Failure, readDetail } from "./shapes";

const TITLE = "CHIP";
const send = jsonCalls(TITLE);

/** A payer may wait for it. */
const bankStateLimits = { connectMs: 1_000, totalMs: 3_000, maxBytes: 64 * 1024 };

/** Where CHIP is: one address for test and live mode; the key decides. */
export const origin = (): string => env.CHIP_API_URL ?? "https://gate.chip-in.asia";

/**
 * `refused`: CHIP understood and did nothing, or says that the processing failed; `code` is its word for it, `fields` are those it objects to.
 * `missing`: CHIP itself says that it has no such object. `silent`: no definite answer.
 */
export type Trouble = {
  kind: "refused" | "missing" | "unauthorized" | "silent";
  reason: string;
  code: string | null;
  fields: readonly string[];
};
export type ChipResult<T> = { ok: true; value: T } | { ok: false; trouble: Trouble };

export const unknown = (reason: string): Unknown => ({ kind: "unknown", reason });

type Call = { method: "GET" | "POST"; path: string; body?: object };
type Caller = Pick<Connection, "id" | "secret">;

const failed = (
  kind: Trouble["kind"],
  reason: string,
  more: Partial<Trouble> = {},
): { ok: false; trouble: Trouble } => ({
  ok: false,
  trouble: { kind, reason, code: null, fields: [], ...more },
});

/** One request to CHIP, its answer checked against what we read of it. It is never repeated, and it never throws for what CHIP or the network does. */
export async function call<T extends z.ZodType>(
  { id, secret }: Caller,
  what: string,
  { method, path, body }: Call,
  shape: T,
): Promise<ChipResult<z.output<T>>> {
  const answer = await send(id, what, {
    base: origin(),
    method,
    path: `/api/v1${path}`,
    headers: { authorization: `Bearer ${secret}` },
    ...(body && { body: { type: "application/json", text: JSON.stringify(body) } }),
  });
  if (answer.kind === "silent") return failed("silent", answer.reason);
  const { status, body: said } = answer;
  if (status === 200 || status === 201) {
    const value = readShape(TITLE, shape, said, { connection: id, what });
    return value === undefined
      ? failed("silent", "CHIP's answer could not be read.")
      : { ok: true, value };
  }
  // CHIP documents no body of a 404. A page in HTML is not of its interface, and proves nothing.
  if (status === 404 && said !== undefined) return failed("missing", "CHIP has no such object.");
  const failure = Failure.safeParse(said);
  if (status === 400 && failure.success && Object.keys(failure.data).length > 0)
    return refused(failure.data);
  log.warn({ connection: id, what, status }, "CHIP did not answer as hoped");
  return status === 401 || status === 403
    ? failed("unauthorized", "CHIP does not accept the key of this connection.")
    : failed("silent", "CHIP gave no definite answer.");
}

const BankStates = z.record(z.string(), z.string());

/**
 * How the banks of FPX are by CHIP's report, "A" for one that works; empty when there is no report. The report needs no key and is not part of CHIP's
 * documentation: CHIP's plugin for WooCommerce reads it.
 */
export async function readBankStates(): Promise<Record<string, string>> {
  const base = env.CHIP_API_URL ?? "https://api.chip-in.asia";
  try {
    const { status, text } = await sendJson(
      TITLE,
      { base, method: "GET", path: "/health_check/fpx_b2c" },
      bankStateLimits,
    );
    const states = BankStates.safeParse(parsedJson(text));
    return status === 200 && states.success ? states.data : {};
  } catch (error) {
    log.warn({ err: error }, "CHIP did not report how banks are");
    return {};
  }
}

function refused(failure: z.output<typeof Failure>) {
  const fields = Object.keys(failure);
  const { message, code } = readDetail(
    failure[fields.includes("__all__") ? "__all__" : (fields[0] ?? "")],
  );
  const reason = (message || "CHIP refused the request.").slice(0, 300);
  return failed("refused", reason, { code: code ?? null, fields });
}
