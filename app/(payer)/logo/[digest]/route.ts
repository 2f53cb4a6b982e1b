import { renderDocument } from "@/components/payer/document";
import { payerRoute } from "@/lib/payer/guard";
import { showLogo } from "@/lib/payer/logo";

export const GET = payerRoute(renderDocument, showLogo);
