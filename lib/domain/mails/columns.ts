import type { Mail } from "@/lib/contract/mails";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const mailColumns = every<Exclude<keyof Mail, "resendable">>()([
  "_id",
  "created_at",
  "kind",
  "status",
  "recipient",
  "subject",
  "tries",
  "error",
  "payment_link_id",
  "subscription_id",
  "tokenization_id",
  "resent_from",
  "sent_at",
]);
