import { setTimeout as pause } from "node:timers/promises";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";
import type { Service } from "./service";

/** What was acknowledged with a 200, by our reference, and every answer that should never be given. */
export type Promised = {
  links: Map<string, PaymentLink>;
  refunds: Map<string, { paymentId: string; amount: number }>;
  calls: number;
  refused: number;
  wrong: string[];
};
export const nothingYet = (): Promised => ({
  links: new Map(),
  refunds: new Map(),
  calls: 0,
  refused: 0,
  wrong: [],
});

/**
 * A shop and its payer, one order after the other until `over`: make a link, change its title, pay it, refund a part. A call without an
 * answer is repeated under the same key until it gets one, as a good client does. Every third answer is dropped, as if the network had
 * lost it. An answer that must never come ends the customer.
 */
export async function trade(
  service: Service,
  name: string,
  promised: Promised,
  over: () => boolean,
): Promise<void> {
  try {
    await placeOrders(service, name, promised, over);
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
  }
}

async function placeOrders(
  service: Service,
  name: string,
  promised: Promised,
  over: () => boolean,
): Promise<void> {
  for (let order = 0; !over(); order++) {
    const reference = `${name}-${order}`;
    const input = {
      email: "ana@example.com",
      currency: "MYR",
      amount: 1_250,
      title: `Order ${reference}`,
      reference,
      send_email: false,
    };
    const made = await call<PaymentLink>(
      service,
      promised,
      "POST",
      "/payment-links",
      `${reference}-make`,
      input,
    );
    promised.links.set(reference, made);
    const changed = await call<PaymentLink>(
      service,
      promised,
      "PUT",
      `/payment-links/${made._id}`,
      `${reference}-change`,
      { ...input, title: `${input.title} changed` },
    );
    promised.links.set(reference, changed);
    await pay(service, made._id);
    const { data } = await call<{ data: Payment[] }>(
      service,
      promised,
      "GET",
      `/payments?payment_link_id=${made._id}`,
    );
    const paid = data.find(({ status }) => status === "succeeded");
    if (!paid || order % 2 === 0) continue;
    await call(service, promised, "POST", `/payments/${paid._id}/refunds`, `${reference}-refund`, {
      amount: 500,
    });
    promised.refunds.set(reference, { paymentId: paid._id, amount: 500 });
  }
}

/** An answer that no client may ever get: `Promised.wrong` says which. */
class WrongAnswer extends Error {}

async function call<T>(
  service: Service,
  promised: Promised,
  method: string,
  path: string,
  key?: string,
  body?: unknown,
): Promise<T> {
  let loses = key !== undefined && promised.calls % 3 === 0;
  for (;;) {
    promised.calls++;
    const answer = await fetch(`${service.url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${service.key}`,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(key ? { "idempotency-key": key } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.status === 200 && text !== undefined) {
      if (!loses) return (JSON.parse(text) as { data: T }).data;
      loses = false;
      continue;
    }
    promised.refused++;
    // 409: the same key is still being worked on. 503: not now. Both say when to come back.
    const allowed =
      answer === undefined ||
      text === undefined ||
      ((answer.status === 503 || answer.status === 409) && answer.headers.has("retry-after"));
    if (!allowed) {
      promised.wrong.push(`${method} ${path}: ${answer.status} ${text}`);
      throw new WrongAnswer();
    }
    await pause(200);
  }
}

/** Presses pay, approves at the gateway, comes back; a payer with a broken page stops trying. */
async function pay(service: Service, id: string): Promise<void> {
  const post = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
  for (let tries = 0; tries < 3; tries++) {
    try {
      const hosted = (await post(`${service.url}/pay`, { id, version: "2" })).headers.get(
        "location",
      );
      if (!hosted) return;
      const back = (await post(hosted, { outcome: "approve" })).headers.get("location");
      if (back) await fetch(back, { redirect: "manual" });
      return;
    } catch {
      await pause(300);
    }
  }
}
