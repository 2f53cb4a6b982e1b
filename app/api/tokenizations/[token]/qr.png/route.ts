import { compute } from "@/lib/compute/pool";
import { getActivationQrPng } from "@/lib/contract/files";
import { activationAddress } from "@/lib/domain/tokenizations/get";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getActivationQrPng, async ({ ctx, params }) => ({
  body: await compute(ctx, "qrPng", await activationAddress(ctx, params.token)),
}));
