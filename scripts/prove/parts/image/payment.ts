import { setTimeout as pause } from "node:timers/promises";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";

const LIMIT_MS = 30_000;

/** Makes a link through the API, pays it at the simulated gateway as a payer does, and returns the payment once it succeeded. */
export async function payOneLink(url: string, key: string): Promise<Payment> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body ? JSON.stringify(body) : undefined,
    });
    if (!answer.ok)
      throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
    return ((await answer.json()) as { data: T }).data;
  };
  const link = await call<PaymentLink>("POST", "/payment-links", {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Invoice 1042 · 請求書 · فاتورة",
    send_email: false,
  });
  await payLink(url, link._id);
  const began = performance.now();
  for (;;) {
    const { data: payments } = await call<{ data: Payment[] }>(
      "GET",
      `/payments?payment_link_id=${link._id}`,
    );
    const paid = payments.find(({ status }) => status === "succeeded");
    if (paid) return paid;
    if (performance.now() - began > LIMIT_MS)
      throw new Error(`the link is not paid: ${JSON.stringify(payments)}`);
    await pause(100);
  }
}

/** Pays a link as a payer does: at the gateway's page, and back. */
export async function payLink(url: string, id: string): Promise<void> {
  const hosted = await follow(`${url}/pay`, { id, version: "1" });
  const back = await follow(hosted, { outcome: "approve" });
  await fetch(back);
}

/** Sends a form as a browser does, and returns where it leads. */
async function follow(url: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(fields),
  });
  const next = answer.headers.get("location");
  if (!next) throw new Error(`${url} leads nowhere: ${answer.status}`);
  return new URL(next, url).href;
}

/** The receipt of a payment, as bytes. */
export async function receiptOf(url: string, key: string, paymentId: string): Promise<Buffer> {
  const answer = await fetch(`${url}/api/payments/${paymentId}/receipt`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return Buffer.from(await answer.arrayBuffer());
}
