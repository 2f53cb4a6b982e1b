import { sendPaymentLink } from "@/lib/contract/payment-links";
import { sendLink } from "@/lib/domain/mails/resend";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(sendPaymentLink, ({ ctx, params }) =>
  sendLink(ctx, params.payment_link_id),
);
