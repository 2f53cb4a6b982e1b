import { compute } from "@/lib/compute/pool";
import { getPaymentLinkQrPng } from "@/lib/contract/files";
import { get } from "@/lib/domain/payment-links/get";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getPaymentLinkQrPng, async ({ ctx, params }) => ({
  body: await compute(ctx, "qrPng", (await get(ctx, params.payment_link_id)).payment_url),
}));
