import type http from "node:http";
import * as z from "zod";
import { assertNoTransaction } from "@/db/client";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { Circuit } from "../circuit";
import type { Connection, Unknown } from "../gateway";
import { type Answer, send, usualLimits } from "../limited-http";
import { Failure, readDetail } from "./shapes";

const circuit = new Circuit();

/** A payer may wait for it. */
const bankStateLimits = { connectMs: 1_000, totalMs: 3_000, maxBytes: 64 * 1024 };

/** Where CHIP is: one address for test and live mode; the key decides. */
export const origin = (): string => env.CHIP_API_URL ?? "https://gate.chip-in.asia";

/**
 * `refused`: CHIP understood and did nothing, or says that the processing failed; `code` is its word for it, `fields` are those it objects to. `silent`:
 * no definite answer.
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
  assertNoTransaction(what);
  const seconds = circuit.wait(id, Date.now());
  if (seconds > 0)
    return failed("silent", `CHIP is in trouble; nothing is sent for another ${seconds} seconds.`);
  const sent = body === undefined ? "" : JSON.stringify(body);
  let answer: Answer;
  try {
    answer = await send("CHIP", requestOf(secret, method, path, sent), sent, usualLimits);
  } catch (error) {
    circuit.failed(id, Date.now());
    log.warn({ connection: id, what, err: error }, "CHIP did not answer");
    return failed("silent", "CHIP gave no definite answer.");
  }
  noteHealth(id, answer);
  return read(id, what, answer, shape);
}

const BankStates = z.record(z.string(), z.string());

/**
 * How the banks of FPX are by CHIP's report, "A" for one that works; empty when there is no report. The report needs no key and is not part of CHIP's
 * documentation: CHIP's plugin for WooCommerce reads it.
 */
export async function readBankStates(): Promise<Record<string, string>> {
  const base = env.CHIP_API_URL ?? "https://api.chip-in.asia";
  const { protocol, hostname: host, port } = new URL(base);
  const isPlain = protocol === "http:";
  try {
    const { status, text } = await send(
      "CHIP",
      {
        protocol: isPlain ? "http:" : "https:",
        host,
        port: port || (isPlain ? "80" : "443"),
        path: "/health_check/fpx_b2c",
        method: "GET",
        headers: { accept: "application/json" },
      },
      "",
      bankStateLimits,
    );
    const states = BankStates.safeParse(parsed(text));
    return status === 200 && states.success ? states.data : {};
  } catch (error) {
    log.warn({ err: error }, "CHIP did not report how banks are");
    return {};
  }
}

function requestOf(secret: string, method: string, path: string, body: string) {
  const base = new URL(origin());
  const headers: http.OutgoingHttpHeaders = {
    authorization: `Bearer ${secret}`,
    accept: "application/json",
    ...(body === ""
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
  };
  const protocol = base.protocol === "http:" ? ("http:" as const) : ("https:" as const);
  const port = base.port || (protocol === "http:" ? "80" : "443");
  return { host: base.hostname, port, path: `/api/v1${path}`, method, headers, protocol };
}

function noteHealth(id: string, { status, headers }: Answer): void {
  const asked = Number(headers["retry-after"]);
  if (status === 429 || status >= 500)
    circuit.failed(id, Date.now(), Number.isFinite(asked) && asked > 0 ? asked : undefined);
  else circuit.answered(id);
}

function read<T extends z.ZodType>(
  id: string,
  what: string,
  { status, text }: Answer,
  shape: T,
): ChipResult<z.output<T>> {
  const body = parsed(text);
  if (status === 200 || status === 201) {
    const known = shape.safeParse(body);
    if (known.success) return { ok: true, value: known.data };
    log.error(
      { connection: id, what, problem: z.prettifyError(known.error) },
      "CHIP's answer is not of the shape we know",
    );
    return failed("silent", "CHIP's answer could not be read.");
  }
  if (status === 404) return failed("missing", "CHIP has no such object.");
  const failure = Failure.safeParse(body);
  if (status === 400 && failure.success && Object.keys(failure.data).length > 0)
    return refused(failure.data);
  log.warn({ connection: id, what, status }, "CHIP did not answer as hoped");
  return status === 401 || status === 403
    ? failed("unauthorized", "CHIP does not accept the key of this connection.")
    : failed("silent", "CHIP gave no definite answer.");
}

function refused(failure: z.output<typeof Failure>) {
  const fields = Object.keys(failure);
  const { message, code } = readDetail(
    failure[fields.includes("__all__") ? "__all__" : (fields[0] ?? "")],
  );
  const reason = (message || "CHIP refused the request.").slice(0, 300);
  return failed("refused", reason, { code: code ?? null, fields });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
