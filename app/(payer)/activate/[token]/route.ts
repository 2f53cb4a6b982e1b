import { renderDocument } from "@/components/payer/document";
import { pressSave, showActivation } from "@/lib/payer/activate";
import { payerRoute } from "@/lib/payer/guard";

export const GET = payerRoute(renderDocument, showActivation);
export const POST = payerRoute(renderDocument, pressSave);
