import { recordPayment } from "@/lib/contract/payments";
import { validateAgainstRecords, recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(
  recordPayment,
  ({ ctx, params, body }) => recordManualPayment(ctx, params.payment_link_id, body),
  ({ ctx, params, body }) => validateAgainstRecords(ctx, params.payment_link_id, body),
);
