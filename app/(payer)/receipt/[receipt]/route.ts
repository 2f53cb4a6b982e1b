import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { showReceipt } from "@/lib/payer/receipt";

export const GET = payerRoute(renderDocument, showReceipt);
