import { compute } from "@/lib/compute/pool";
import { getActivationQrSvg } from "@/lib/contract/files";
import { activationAddress } from "@/lib/domain/tokenizations/get";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getActivationQrSvg, async ({ ctx, params }) => ({
  body: await compute(ctx, "qrSvg", await activationAddress(ctx, params.token)),
}));
