"use client";

import { useEndpoint } from "@/lib/client/hooks";
import { listPayments } from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";

/**
 * The charge of the same saved method and amount that came after a failed one and did not fail, if any. A payment of a link has
 * its own timeline for that. `isRepeated`: with the same title and reference too.
 */
export function useChargedSince(payment: PaymentWithPayer | undefined): {
  since: PaymentWithPayer | undefined;
  isRepeated: boolean;
} {
  const { tokenization_id: token = null, payment_link_id: link = null } = payment ?? {};
  const asks = payment?.status === "failed" && token !== null && link === null;
  const { data } = useEndpoint(
    listPayments,
    {
      query: {
        tokenization_id: token,
        currency: payment?.currency,
        amount_min: payment?.amount,
        amount_max: payment?.amount,
        created_from: payment?.created_at,
        sort: "-created_at",
      },
    },
    { enabled: asks },
  );
  const later = (asks ? (data?.data ?? []) : []).filter(
    ({ _id, status }) => _id !== payment?._id && status !== "failed" && status !== "cancelled",
  );
  const again = later.find(
    ({ title, reference }) => title === payment?.title && reference === payment?.reference,
  );
  return { since: again ?? later[0], isRepeated: again !== undefined };
}
