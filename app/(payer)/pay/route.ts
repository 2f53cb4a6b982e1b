import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { pressPay, showLink } from "@/lib/payer/pay";

export const GET = payerRoute(renderDocument, showLink);
export const POST = payerRoute(renderDocument, pressPay);
