"use client";

import { useMembership } from "./use-me";

/** The zone of the business: of the days in filters, lists and the overview. The frame shows pages once it is known. */
export const useZone = (): string => useMembership().business?.time_zone ?? "UTC";

/** "Kuala Lumpur" of "Asia/Kuala_Lumpur". */
export const cityOf = (timeZone: string): string =>
  (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");

/** "Kuala Lumpur (GMT+8)", with the difference of today. */
export function zoneName(timeZone: string): string {
  const city = cityOf(timeZone);
  if (city === "UTC") return city;
  const offset = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "shortOffset" })
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName")?.value;
  return `${city} (${offset})`;
}
