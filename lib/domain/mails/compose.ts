import type { Tx } from "@/db/client";
import { renderPaymentLinkMail } from "@/lib/mail/templates/payment-link-mail";
import { renderReceiptMail } from "@/lib/mail/templates/receipt-mail";
import { newId } from "@/lib/kernel/ids";
import { displayAmount } from "@/lib/kernel/money";
import { seal } from "@/lib/kernel/secrets";
import { findBusiness } from "../businesses/rows";
import { systemCtx } from "../context";
import type { EventRow } from "../events/rows";
import { paymentUrl } from "../payment-links/present";
import { lockLink } from "../payment-links/rows";
import { findPayment } from "../payments/rows";
import { insertMail } from "./rows";

/** Writes the payer's mail an event asks for into the outbox. A link that was deleted meanwhile gets none. */
export async function composeFor(tx: Tx, event: EventRow): Promise<void> {
  const ctx = systemCtx(event, { kind: "clock" }, event.id);
  const business = await findBusiness(event.businessId, tx);
  if (!business) throw new Error("an event of a business that does not exist");
  const payment = event.mail === "receipt" ? await findPayment(ctx, event.objectId, tx) : undefined;
  const linkId = event.mail === "receipt" ? payment?.paymentLinkId : event.objectId;
  const link = linkId ? await lockLink(ctx, tx, linkId, event.mail === "receipt") : undefined;
  if (!link) return;
  const known = { business, test: event.mode === "test", timeZone: business.timeZone, title: link.title, references: [link.reference, link.reference2] };
  const mail =
    event.mail === "receipt" && payment
      ? renderReceiptMail({ ...known, amount: displayAmount(payment.amount, payment.currency), paidAt: payment.succeededAt ?? payment.updatedAt, paymentId: payment.id })
      : renderPaymentLinkMail({
          ...known, amount: displayAmount(link.amount, link.currency), description: link.description, address: paymentUrl(link.id, link.mode), expiresAt: link.expiresAt,
        });
  await insertMail(tx, {
    id: newId(), businessId: event.businessId, mode: event.mode, kind: event.mail ?? "", cause: event.id, objectId: link.id, recipient: link.email,
    subject: mail.subject, html: seal(mail.html, "mail"), text: seal(mail.text, "mail"),
  });
}
