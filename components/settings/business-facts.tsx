"use client";

import { BusinessMark } from "@/components/console/business-mark";
import { type FactsOf, shownFacts } from "@/components/record/facts";
import { scheduleWords } from "@/components/record/reminder-words";
import { Card, Facts } from "@/components/ui/card";
import { Day } from "@/components/ui/time";
import type { Business } from "@/lib/contract/business";

/** What staff cannot change of a business. */
export function AboutBusiness({ business }: { business: Business }) {
  return (
    <Card title="In Kutip">
      <Facts
        items={[
          { label: "Business id", value: business.business_id },
          {
            label: "Live mode",
            value: business.live_gateway
              ? "A payment provider is connected"
              : "No payment provider is connected yet",
          },
          { label: "Since", value: <Day value={business.created_at} /> },
        ]}
      />
    </Card>
  );
}

const factsOf = (business: Business): FactsOf<Business> => ({
  business_id: null,
  live_gateway: null,
  version: null,
  created_at: null,
  updated_at: null,
  name: { label: "Name", value: business.name },
  logo: {
    label: "Logo",
    value: business.logo ? (
      <BusinessMark name={business.name} logo={business.logo.url} alt="The logo" />
    ) : null,
  },
  accent: { label: "Colour", value: business.accent ?? "Kutip’s" },
  support_email: { label: "E-mail", value: business.support_email },
  support_phone: { label: "Phone", value: business.support_phone },
  time_zone: { label: "Time zone", value: business.time_zone },
  default_currency: { label: "Default currency", value: business.default_currency },
  retry_days: {
    label: "Charges again after",
    value: business.retry_days.length > 0 ? `${business.retry_days.join(", ")} days` : "Never",
  },
  reminders: { label: "Reminders", value: scheduleWords(business.reminders) },
  reminders_since: null,
});

/** The settings of a business, for those who may not change them. */
export function BusinessFacts({ business }: { business: Business }) {
  return (
    <div className="grid max-w-2xl gap-5">
      <Card title="To payers" description="Owners and admins change this.">
        <Facts items={shownFacts(factsOf(business))} />
      </Card>
      <AboutBusiness business={business} />
    </div>
  );
}
