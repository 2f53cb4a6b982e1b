import { renderDocument } from "@/components/payer/document";
import { comeBack } from "@/lib/payer/activate";
import { payerRoute } from "@/lib/payer/guard";

export const GET = payerRoute(renderDocument, comeBack);
