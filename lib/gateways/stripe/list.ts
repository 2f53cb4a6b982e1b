import type { Connection, ListAnswer, ListedPayment, ListedReturn } from "../gateway";
import { unknownBy } from "./answers";
import { call } from "./client";
import {
  attemptKey,
  linkKey,
  ownKey,
  pageOf,
  PaymentIntent,
  Returned,
  subscriptionKey,
  tokenizationKey,
} from "./shapes";

const PER_PAGE = 100;
const LISTS = ["payments", "refunds", "disputes"] as const;
type List = (typeof LISTS)[number];

/** One list after the other, newest first. A cursor is the list's name and, within the list, the last id. */
export async function listSince(
  connection: Connection,
  since: string,
  cursor: string | null,
): Promise<ListAnswer> {
  const [name, last] = (cursor ?? "payments").split(" ");
  const list = LISTS.find((one) => one === name) ?? "payments";
  const asked = {
    created: { gte: Math.floor(Date.parse(since) / 1000) },
    limit: PER_PAGE,
    ...(last === undefined ? {} : { starting_after: last }),
  };
  const result = await (list === "payments"
    ? call(connection, "Stripe's payments", pageOf(PaymentIntent), (stripe) =>
        stripe.paymentIntents.list(asked),
      )
    : call(connection, `Stripe's ${list}`, pageOf(Returned), (stripe) =>
        list === "refunds" ? stripe.refunds.list(asked) : stripe.disputes.list(asked),
      ));
  if (!result.ok) return unknownBy(result.trouble);
  const { data, has_more } = result.value;
  return {
    kind: "page",
    payments: data.flatMap((one) =>
      one.object === "payment_intent" ? paymentOf(connection, one) : [],
    ),
    returns: data.flatMap((one) => (one.object === "payment_intent" ? [] : returnOf(one))),
    next: nextOf(list, has_more ? data.at(-1)?.id : undefined),
  };
}

function nextOf(list: List, last: string | undefined): string | null {
  return last === undefined ? (LISTS[LISTS.indexOf(list) + 1] ?? null) : `${list} ${last}`;
}

/**
 * Intents with our metadata that took money or may yet. A hosted page has one as soon as its payer tries to pay; it waits for a payer who has a voucher.
 * A charge has no payer to wait for: who made it ends it.
 */
function paymentOf(
  { mode }: Connection,
  { id, livemode, status, metadata, description }: PaymentIntent,
): ListedPayment[] {
  const reference = metadata[attemptKey];
  const waits = status === "requires_action" && metadata[linkKey] !== undefined;
  const pending = waits || status === "processing";
  if (!reference || !(pending || status === "succeeded") || livemode !== (mode === "live"))
    return [];
  return [
    {
      reference,
      gatewayId: id,
      linkId: metadata[linkKey] ?? null,
      subscriptionId: metadata[subscriptionKey] ?? null,
      tokenizationId: metadata[tokenizationKey] ?? null,
      title: description ?? null,
      ownReference: metadata[ownKey] ?? null,
      pending,
    },
  ];
}

const returnOf = ({ object, id, payment_intent: intent }: Returned): ListedReturn[] =>
  intent ? [{ id, about: object, gatewayId: intent }] : [];
