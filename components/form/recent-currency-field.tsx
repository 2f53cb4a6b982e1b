"use client";

import type { ComponentProps } from "react";
import { useEndpoint } from "@/lib/client/hooks";
import { getBusiness } from "@/lib/contract/operations";
import { CurrencyField } from "./money-inputs";
import { useRecentCurrencies } from "./use-recent-currencies";

/** A currency; those that the business uses lead the list. */
export function RecentCurrencyField<Name extends string>(
  field: Omit<ComponentProps<typeof CurrencyField<Name>>, "first">,
) {
  const business = useEndpoint(getBusiness, {});
  const { codes } = useRecentCurrencies(business.data);
  return <CurrencyField {...field} first={codes} />;
}
