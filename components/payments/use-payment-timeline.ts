import { useEndpoint } from "@/lib/client/hooks";
import { getPaymentTimeline } from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";

/** What happened to a payment. */
export const usePaymentTimeline = ({ _id }: PaymentWithPayer) =>
  useEndpoint(getPaymentTimeline, { params: { payment_id: _id } });
