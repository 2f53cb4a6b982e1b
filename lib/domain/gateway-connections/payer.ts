import type { Payer } from "@/lib/gateways/gateway";

/** The payer of a link, token or subscription, as gateways take them. Kutip asks for no name. */
export const payerOf = ({ email, phoneNo }: { email: string; phoneNo: string | null }): Payer => ({
  email,
  name: null,
  phone: phoneNo,
});
