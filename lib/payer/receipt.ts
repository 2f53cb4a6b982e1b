import { db } from "@/db/client";
import { compute } from "@/lib/compute/pool";
import { systemCtx } from "@/lib/domain/context";
import { hasReceipt, receipt } from "@/lib/domain/payments/receipt";
import { readReceiptAddress, receiptKey } from "@/lib/domain/payments/receipt-address";
import { unscopedFindPayment } from "@/lib/domain/payments/rows";
import { consume } from "@/lib/domain/limits/limits";
import { notFound } from "@/lib/kernel/problem";
import type { Visit } from "./answer";
import { countVisit } from "./guard";

/** The receipt of a payment as a PDF, at the address that its payer was given. */
export async function showReceipt({ context, requestId }: Visit): Promise<Response> {
  const name = String((await context.params)?.receipt);
  const address = readReceiptAddress(await receiptKey(db), name);
  if (!address) throw notFound();
  const { id, reader } = address;
  await countVisit(id);
  await consume("payer_receipt", id);
  const payment = await unscopedFindPayment(id);
  if (!payment || !hasReceipt(payment)) throw notFound();
  const content = await receipt(systemCtx(payment, { kind: "payer" }, requestId), id);
  const payer = reader === "payer" ? content.payer : content.payer.slice(-1).map(masked);
  const pdf = await compute(payment, "payerReceipt", { ...content, payer });
  return new Response(pdf, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="receipt-${id}.pdf"`,
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    },
  });
}

/** "a•••@example.com": enough for the payer to know the address again, too little for anyone else. */
const masked = (email: string) => email.replace(/^(.).*(?=@)/u, "$1•••");
