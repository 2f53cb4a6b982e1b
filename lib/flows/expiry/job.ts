import { expiringLinks } from "@/lib/domain/payment-links/rows";
import { expiringTokenizations } from "@/lib/domain/tokenizations/rows";
import { defineJob } from "@/lib/jobs/define";
import { expireLinks, expireTokens } from "./steps";

export const linkExpiry = defineJob({
  name: "expire links",
  due: expiringLinks,
  batch: 100,
  perTenant: 1,
  shownAs: "expiries",
  work: (rows, { requestId }) => expireLinks(rows, requestId),
});

export const tokenExpiry = defineJob({
  name: "expire tokens",
  due: expiringTokenizations,
  batch: 100,
  perTenant: 1,
  work: (rows, { requestId }) => expireTokens(rows, requestId),
});
