import type { Connection, ListAnswer } from "../gateway";
import { unknownBy } from "./answers";
import { call } from "./client";
import { attemptKey, linkKey, pageOf, PaymentIntent, subscriptionKey } from "./shapes";

const PER_PAGE = 100;

/** PaymentIntents with our metadata that took money or may yet, newest first. A hosted page has one as soon as its payer tries to pay. */
export async function listSince(
  connection: Connection,
  since: string,
  cursor: string | null,
): Promise<ListAnswer> {
  const told = await call(connection, "Stripe's payments", pageOf(PaymentIntent), (stripe) =>
    stripe.paymentIntents.list({
      created: { gte: Math.floor(Date.parse(since) / 1000) },
      limit: PER_PAGE,
      ...(cursor === null ? {} : { starting_after: cursor }),
    }),
  );
  if (!told.ok) return unknownBy(told.trouble);
  const { data, has_more } = told.value;
  return {
    kind: "page",
    payments: data.flatMap(({ id, livemode, status, metadata }) => {
      const reference = metadata[attemptKey];
      const moves = status === "succeeded" || status === "processing";
      if (!reference || !moves || livemode !== (connection.mode === "live")) return [];
      return {
        reference,
        gatewayId: id,
        linkId: metadata[linkKey] ?? null,
        subscriptionId: metadata[subscriptionKey] ?? null,
        pending: status === "processing",
      };
    }),
    next: has_more ? (data.at(-1)?.id ?? null) : null,
  };
}
