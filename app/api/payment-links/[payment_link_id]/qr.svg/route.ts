import { compute } from "@/lib/compute/pool";
import { getPaymentLinkQrSvg } from "@/lib/contract/files";
import { get } from "@/lib/domain/payment-links/get";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getPaymentLinkQrSvg, async ({ ctx, params }) => ({
  body: await compute(ctx, "qrSvg", (await get(ctx, params.payment_link_id)).payment_url),
}));
