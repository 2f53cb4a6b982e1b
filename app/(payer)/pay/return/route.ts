import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { comeBack } from "@/lib/payer/pay";

export const GET = payerRoute(renderDocument, comeBack);
