import { setTimeout as pause } from "node:timers/promises";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";

const CALL_LIMIT_MS = 40_000;
const REPEAT_MS = 250;
const ORDER_PAUSE_MS = 300;
const REFUND_AMOUNT = 500;

/** What callers saw. Maps of links are titles by id. */
export type Seen = {
  requests: number;
  creates: number;
  payments: number;
  reads: number;
  /** Calls that got no success and were repeated. */
  repeated: number;
  links: Map<string, string>;
  paid: Set<string>;
  /** Ids of refunds that were acknowledged as succeeded. */
  refunds: Set<string>;
  /** Answers that no caller may ever get. */
  wrong: string[];
  /** Milliseconds of the longest single request, and of the longest call with its repetitions. */
  longestRequestMs: number;
  longestCallMs: number;
};

export type Traders = {
  seen: Seen;
  /** Ends each trader after its order; an order that hangs is abandoned after `limitSeconds`. */
  stop: (limitSeconds: number) => Promise<void>;
};

type Options = {
  /** Begins their references and idempotency keys: other traders at the same shop need another one. */
  name?: string;
  orderPauseMs?: number;
  /** A part of every so many orders is refunded. */
  refundEvery?: number;
  /** The address is a load balancer's, which has answers of its own while a web process is away. */
  isBalanced?: boolean;
};

/** Statuses of a load balancer without a server for the request. Kutip's own answers have a request id. */
const isBalancers = (answer: { status: number; headers: Headers }) =>
  [502, 503, 504].includes(answer.status) && !answer.headers.has("x-request-id");

/**
 * Shops with a payer each: a link is made under an idempotency key, its payer pays at the gateway's page and comes back, and the shop reads the
 * payment. A call without a success is repeated under its key at the other web process.
 */
export function startTraders(
  webs: readonly string[],
  key: string,
  count: number,
  { name = "shop", orderPauseMs = ORDER_PAUSE_MS, refundEvery, isBalanced = false }: Options = {},
): Traders {
  const seen: Seen = {
    requests: 0,
    creates: 0,
    payments: 0,
    reads: 0,
    repeated: 0,
    links: new Map(),
    paid: new Set(),
    refunds: new Set(),
    wrong: [],
    longestRequestMs: 0,
    longestCallMs: 0,
  };
  const stop = new AbortController();
  let over = false;

  const once = async (url: string, init: RequestInit) => {
    seen.requests++;
    const began = performance.now();
    const limit = AbortSignal.any([AbortSignal.timeout(CALL_LIMIT_MS), stop.signal]);
    const answer = await fetch(url, { redirect: "manual", ...init, signal: limit })
      .then(async (found) => ({
        status: found.status,
        headers: found.headers,
        text: await found.text(),
      }))
      .catch(() => undefined);
    seen.longestRequestMs = Math.max(seen.longestRequestMs, performance.now() - began);
    return answer;
  };

  const call = async <T>(
    first: number,
    method: string,
    path: string,
    idempotencyKey?: string,
    body?: unknown,
  ): Promise<T | undefined> => {
    const began = performance.now();
    for (let tries = first; !stop.signal.aborted; tries++) {
      const answer = await once(`${webs[tries % webs.length]}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body ? { "content-type": "application/json" } : {}),
          ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (answer?.status === 200) {
        seen.longestCallMs = Math.max(seen.longestCallMs, performance.now() - began);
        return (JSON.parse(answer.text) as { data: T }).data;
      }
      // 409: the same key is still being worked on. 503: not now. Both say when to come back.
      const isAllowed =
        answer === undefined ||
        ([409, 503].includes(answer.status) && answer.headers.has("retry-after")) ||
        (isBalanced && isBalancers(answer));
      if (!isAllowed) {
        seen.wrong.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        return undefined;
      }
      seen.repeated++;
      await pause(REPEAT_MS);
    }
    return undefined;
  };

  /** Presses pay until the gateway's page opens, approves there, and comes back. */
  const pay = async (first: number, id: string): Promise<void> => {
    for (let tries = first; !stop.signal.aborted && tries < first + 60; tries++) {
      const pressed = await once(`${webs[tries % webs.length]}/pay`, {
        method: "POST",
        body: new URLSearchParams({ id, version: "1" }),
      });
      const hosted = pressed?.headers.get("location");
      if (hosted) {
        const approved = await once(hosted, {
          method: "POST",
          body: new URLSearchParams({ outcome: "approve" }),
        });
        const back = approved?.headers.get("location");
        if (back) {
          const { pathname, search } = new URL(back);
          await once(`${webs[tries % webs.length]}${pathname}${search}`, {});
        }
        return;
      }
      // The page says that the payment is being looked at: it has started. It has not where the gateway gave no answer.
      if (pressed?.status === 200 && !pressed.text.includes("isn’t responding right now")) return;
      await pause(REPEAT_MS);
    }
  };

  const refund = async (first: number, payment: string, idempotencyKey: string) => {
    const path = `/payments/${payment}/refunds`;
    const body = { amount: REFUND_AMOUNT };
    const made = await call<Refund>(first, "POST", path, idempotencyKey, body);
    if (made?.status === "succeeded") seen.refunds.add(made._id);
  };

  const trade = async (number: number) => {
    for (let order = 0; !over; order++) {
      const reference = `${name}${number}-${order}`;
      const title = `Order ${reference}`;
      const link = await call<PaymentLink>(number + order, "POST", "/payment-links", reference, {
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title,
        reference,
        send_email: false,
      });
      if (!link) continue;
      seen.creates++;
      seen.links.set(link._id, title);
      await pay(number + order, link._id);
      const found = await call<{ data: Payment[] }>(
        number + order,
        "GET",
        `/payments?payment_link_id=${link._id}`,
      );
      seen.reads++;
      for (const payment of found?.data ?? [])
        if (payment.status === "succeeded") {
          seen.payments++;
          seen.paid.add(payment._id);
          if (refundEvery && order % refundEvery === 0)
            await refund(number + order, payment._id, `${reference}-refund`);
        }
      await pause(orderPauseMs);
    }
  };

  const traders = Array.from({ length: count }, (_, number) => trade(number));
  return {
    seen,
    stop: async (limitSeconds) => {
      over = true;
      const timer = setTimeout(() => stop.abort(), limitSeconds * 1_000);
      await Promise.all(traders);
      clearTimeout(timer);
    },
  };
}
