import type { Mode } from "@/lib/contract/values";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { env } from "@/lib/env";
import { decimalAmount } from "@/lib/kernel/money";
import type { ShownLink } from "./rows";

/** The payer's address of a link; `test=true` exactly in test mode. */
export function paymentUrl(id: string, mode: Mode): string {
  return `${env.BASE_URL}/pay?id=${id}${mode === "test" ? "&test=true" : ""}`;
}

/** A link as the API answers it; `send_email` is never part of it. */
export function presentLink(row: ShownLink): PaymentLink {
  return {
    _id: row.id,
    email: row.email,
    currency: row.currency,
    amount: row.amount,
    amount_decimal: decimalAmount(row.amount, row.currency),
    title: row.title,
    phone_no: row.phoneNo,
    description: row.description,
    redirect_url: row.redirectUrl,
    reference: row.reference,
    reference_2: row.reference2,
    status: row.status,
    payment_url: paymentUrl(row.id, row.mode),
    business_id: row.businessId,
    paid: row.status === "Paid",
    expires_at: row.expiresAt,
    due_at: row.dueAt,
    overdue: row.overdue,
    reminders: row.reminders,
    default_reminders: row.defaultInEffect,
    paid_at: row.paidAt,
    subscription_id: row.subscriptionId,
    import_id: row.importId,
    integration_id: row.integrationId,
    test_clock_id: row.testClockId,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
