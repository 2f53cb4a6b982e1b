import type { Business } from "@/lib/contract/business";

/** The settings of a business as their form holds them. */
export const businessValues = (business: Business) => ({
  name: business.name,
  time_zone: business.time_zone,
  default_currency: business.default_currency,
  accent: business.accent ?? "",
  support_email: business.support_email ?? "",
  support_phone: business.support_phone ?? "",
  retry_days: business.retry_days,
});
