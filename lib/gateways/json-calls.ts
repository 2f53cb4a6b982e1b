import type http from "node:http";
import * as z from "zod";
import { assertNoTransaction } from "@/db/client";
import { log } from "@/lib/kernel/log";
import { Circuit } from "./circuit";
import { type Answer, type Limits, send, usualLimits } from "./limited-http";

/** A request below `base`; `path` is the whole path. `body` is empty for none. */
export type JsonRequest = {
  base: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: http.OutgoingHttpHeaders;
  body?: { type: string; text: string };
};

/** `body`: undefined where it is no JSON, null where it is empty. `silent`: no answer came, or nothing was sent while the gateway is in trouble. */
export type JsonAnswer =
  | { kind: "answer"; status: number; body: unknown }
  | { kind: "silent"; reason: string };

/** Sends one request to the gateway with this title, within these limits. Throws where no answer comes. */
export function sendJson(
  title: string,
  { base, method, path, headers, body }: JsonRequest,
  limits: Limits = usualLimits,
): Promise<Answer> {
  const { protocol, hostname, port } = new URL(base);
  const isPlain = protocol === "http:";
  const request = {
    protocol: isPlain ? ("http:" as const) : ("https:" as const),
    host: hostname,
    port: port || (isPlain ? "80" : "443"),
    path,
    method,
    headers: {
      accept: "application/json",
      ...headers,
      ...(body && { "content-type": body.type, "content-length": Buffer.byteLength(body.text) }),
    },
  };
  return send(title, request, body?.text ?? "", limits);
}

/**
 * Sends requests of connections to one gateway, never twice. A connection that is in trouble pauses. `limitsReadsOnly`: the gateway limits no other
 * calls, so its limit pauses the reads of a connection alone. It may be that of this server's address: after some refusals in a row all reads of its host
 * pause. It never throws for what the gateway or the network does.
 */
export function jsonCalls(title: string, { limitsReadsOnly = false } = {}) {
  const circuit = new Circuit();
  return async (connectionId: string, what: string, request: JsonRequest): Promise<JsonAnswer> => {
    assertNoTransaction(what);
    const isRead = limitsReadsOnly && request.method === "GET";
    const [reads, allReads] = [`${connectionId} reads`, `${request.base} reads`];
    const names = isRead ? [connectionId, reads, allReads] : [connectionId];
    const seconds = circuit.wait(names, performance.now());
    if (seconds > 0) {
      const reason = `${title} is in trouble; nothing is sent for another ${seconds} seconds.`;
      return { kind: "silent", reason };
    }
    const note = (inTrouble: string | null, askedSeconds?: number) => {
      for (const name of names)
        if (name === inTrouble) circuit.failed(name, performance.now(), askedSeconds);
        else if (name === allReads && inTrouble === reads) circuit.failed(name, performance.now());
        else circuit.answered(name);
    };
    let answer: Answer;
    try {
      answer = await sendJson(title, request);
    } catch (error) {
      note(connectionId);
      log.warn({ connection: connectionId, what, err: error }, `${title} did not answer`);
      return { kind: "silent", reason: `${title} gave no definite answer.` };
    }
    const { status, headers, text } = answer;
    const isLimited = status === 429;
    // A gateway may name the end of its window in every answer: only a 429 asks to wait for it.
    const asked = Number(headers["retry-after"] ?? (isLimited ? headers["ratelimit-reset"] : ""));
    const limited = isLimited ? (isRead ? reads : connectionId) : null;
    note(status >= 500 ? connectionId : limited, asked > 0 ? asked : undefined);
    return { kind: "answer", status, body: text === "" ? null : parsedJson(text) };
  };
}

/** What we read of a body; undefined, and logged, where it is of another shape. */
export function readShape<T extends z.ZodType>(
  title: string,
  shape: T,
  body: unknown,
  about: { connection: string; what: string },
): z.output<T> | undefined {
  const known = shape.safeParse(body);
  if (known.success) return known.data;
  log.error(
    { ...about, problem: z.prettifyError(known.error) },
    `${title}'s answer is not of the shape we know`,
  );
  return undefined;
}

/** Undefined where the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
