import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { showThanks } from "@/lib/payer/thank-you";

export const GET = payerRoute(renderDocument, showThanks);
