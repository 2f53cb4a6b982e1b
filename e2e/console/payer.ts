import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Tokenization } from "@/lib/contract/tokenizations";

/** Sends a form of the payer's pages as a browser would, and gives the address it leads to. They have no scripts, so none is needed. */
async function send(address: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(address, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(fields),
  });
  const next = answer.headers.get("location");
  if (answer.status !== 303 || !next)
    throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return new URL(next, address).href;
}

async function read(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
}

/** The payer opens a link, presses Pay, chooses how it ends and comes back. How this looks is walked in the payer's own tests. */
export async function pay(
  { _id, payment_url }: PaymentLink,
  outcome: "approve" | "decline" = "approve",
): Promise<void> {
  const version = /name="version" value="(\d+)"/.exec(await read(payment_url))?.[1];
  if (!version) throw new Error(`${payment_url} cannot be paid`);
  const hosted = await send(new URL("/pay", payment_url).href, { id: _id, version });
  await read(await send(hosted, { outcome }));
}

/** The payer saves a method that will work, after so many charges that it refuses. */
export async function saveMethod({ activation_url }: Tokenization, declines = 0): Promise<void> {
  const outcome = declines > 0 ? "approve_declines" : "approve";
  const hosted = await send(activation_url, {});
  await read(await send(hosted, { outcome, declines: String(declines) }));
}
