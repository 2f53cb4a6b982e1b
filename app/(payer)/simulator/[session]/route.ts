import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { pressOutcome, showSession } from "@/lib/payer/simulator";

export const GET = payerRoute(renderDocument, showSession);
export const POST = payerRoute(renderDocument, pressOutcome);
