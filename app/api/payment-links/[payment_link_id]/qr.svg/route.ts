import { getPaymentLinkQrSvg } from "@/lib/contract/files";
import { get } from "@/lib/domain/payment-links/get";
import { defineFileRoute } from "@/lib/http/define-file-route";
import { qrSvg } from "@/lib/http/qr";

export const GET = defineFileRoute(getPaymentLinkQrSvg, async ({ ctx, params }) => ({
  body: await qrSvg((await get(ctx, params.payment_link_id)).payment_url),
}));
