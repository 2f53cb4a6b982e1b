import { getPaymentLinkQrPng } from "@/lib/contract/files";
import { get } from "@/lib/domain/payment-links/get";
import { defineFileRoute } from "@/lib/http/define-file-route";
import { qrPng } from "@/lib/http/qr";

export const GET = defineFileRoute(getPaymentLinkQrPng, async ({ ctx, params }) => ({
  body: await qrPng((await get(ctx, params.payment_link_id)).payment_url),
}));
