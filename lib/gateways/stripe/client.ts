import { setTimeout as wait } from "node:timers/promises";
import type Stripe from "stripe";
import * as z from "zod";
import { assertNoTransaction } from "@/db/client";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import type { Connection } from "../gateway";
import { Circuit } from "../circuit";
import { longestCallMs } from "../limited-http";
import { limitedHttp } from "./http";
import { Failure } from "./shapes";

/** The version of Stripe's API that our shapes follow; a business's own setting at Stripe does not change it. */
export const apiVersion = "2026-10-28.endive";

const circuit = new Circuit();
const httpClient = limitedHttp();

/** By key and address: to make one takes longer than a call through it. */
const clients = new Map<string, Stripe>();
const MOST_CLIENTS = 100;

/** The SDK with one business's key. It never retries: only the caller knows whether a repeat is safe. */
async function clientFor(secret: string): Promise<Stripe> {
  const { default: Sdk } = await import("stripe");
  const name = `${secret} ${env.STRIPE_API_URL}`;
  const known = clients.get(name);
  if (known) return known;
  const base = env.STRIPE_API_URL === undefined ? null : new URL(env.STRIPE_API_URL);
  const made = new Sdk(secret, {
    apiVersion,
    maxNetworkRetries: 0,
    timeout: longestCallMs,
    telemetry: false,
    httpClient,
    appInfo: { name: "Kutip" },
    ...(base ? { host: base.hostname, port: base.port || "80", protocol: "http" as const } : {}),
  });
  if (clients.size >= MOST_CLIENTS) clients.clear();
  clients.set(name, made);
  return made;
}

/** `refused`: Stripe understood and did nothing. `missing`: Stripe itself says that it has no such object. `misused`: the key belongs to another request. `silent`: no definite answer. */
export type Trouble = {
  kind: "refused" | "declined" | "missing" | "misused" | "unauthorized" | "silent";
  reason: string;
  failure: Failure | null;
};
export type StripeResult<T> = { ok: true; value: T } | { ok: false; trouble: Trouble };

/** One call to Stripe, its answer checked against what we read of it. Never throws for what Stripe or the network does. */
export async function call<T extends z.ZodType>(
  connection: Pick<Connection, "id" | "secret">,
  what: string,
  shape: T,
  question: (stripe: Stripe) => Promise<unknown>,
): Promise<StripeResult<z.output<T>>> {
  assertNoTransaction(what);
  for (let tries = 0; ; tries++) {
    const result = await once(connection, what, shape, question);
    // Another process is sending the same key; its answer will be this one.
    if (
      result.ok ||
      result.trouble.failure?.code !== "idempotency_key_in_use" ||
      tries === waitsMs.length
    )
      return result;
    await wait(waitsMs[tries]);
  }
}

const waitsMs = [100, 200, 400, 800, 1_600];

async function once<T extends z.ZodType>(
  connection: Pick<Connection, "id" | "secret">,
  what: string,
  shape: T,
  question: (stripe: Stripe) => Promise<unknown>,
): Promise<StripeResult<z.output<T>>> {
  const seconds = circuit.wait(connection.id, performance.now());
  if (seconds > 0)
    return silent(`Stripe is in trouble; nothing is sent for another ${seconds} seconds.`);
  try {
    const answer = await question(await clientFor(connection.secret));
    circuit.answered(connection.id);
    const read = shape.safeParse(answer);
    if (read.success) return { ok: true, value: read.data };
    log.error(
      { connection: connection.id, what, problem: z.prettifyError(read.error) },
      "Stripe's answer is not of the shape we know",
    );
    return silent("Stripe's answer could not be read.");
  } catch (error) {
    return { ok: false, trouble: troubleOf(connection.id, what, error) };
  }
}

const silent = (reason: string): { ok: false; trouble: Trouble } => ({
  ok: false,
  trouble: { kind: "silent", reason, failure: null },
});

function troubleOf(name: string, what: string, error: unknown): Trouble {
  const read = Failure.safeParse(plain(error));
  const failure = read.success ? read.data : null;
  const status = failure?.statusCode ?? 0;
  const asked = Number(failure?.headers?.["retry-after"]);
  if (status === 0 || status === 429 || status >= 500)
    circuit.failed(
      name,
      performance.now(),
      Number.isFinite(asked) && asked > 0 ? asked : undefined,
    );
  else circuit.answered(name);
  const reason =
    failure === null || status === 0 || status >= 500
      ? "Stripe gave no definite answer."
      : failure.code === "amount_too_small"
        ? `Stripe does not charge an amount this small for this account. Ask for more. (${failure.message})`
        : failure.message || "Stripe gave no definite answer.";
  const kind = kindOf(failure, status);
  if (kind === "silent" || kind === "unauthorized")
    log.warn(
      { connection: name, what, status, code: failure?.code, message: failure?.message },
      "Stripe did not answer as hoped",
    );
  return { kind, reason, failure };
}

function kindOf(failure: Failure | null, status: number): Trouble["kind"] {
  if (failure?.rawType === "idempotency_error" || failure?.type === "StripeIdempotencyError")
    return status === 409 ? "silent" : "misused";
  if (status === 402 && failure?.rawType === "card_error") return "declined";
  // An error of another type may be of a proxy, and proves nothing.
  if (status === 404) return failure?.rawType === "invalid_request_error" ? "missing" : "silent";
  if (status === 401 || status === 403) return "unauthorized";
  return status === 400 || status === 402 ? "refused" : "silent";
}

/** An error's own fields: those of a class are not all its own. */
function plain(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return null;
  const {
    type,
    rawType,
    code,
    message,
    statusCode,
    decline_code,
    advice_code,
    payment_intent,
    headers,
  } = error as Record<string, unknown>;
  return {
    type,
    rawType,
    code,
    message,
    statusCode,
    decline_code,
    advice_code,
    payment_intent,
    headers,
  };
}
