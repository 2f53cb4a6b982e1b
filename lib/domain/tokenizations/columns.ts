import type { SeenTokenization } from "@/lib/contract/tokenizations";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. Without the token and the address that holds it: both are secrets. */
export const tokenizationColumns = every<
  | Exclude<keyof SeenTokenization, "business_id" | "token" | "activation_url" | "payment_method">
  | `card_${"brand" | "last4" | "exp"}`
>()([
  "_id",
  "status",
  "email",
  "phone_no",
  "title",
  "description",
  "redirect_url",
  "card_brand",
  "card_last4",
  "card_exp",
  "expires_at",
  "activated_at",
  "created_at",
  "updated_at",
]);
