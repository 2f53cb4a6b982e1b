import { absoluteTime } from "@/lib/client/times";
import type { TimelineEntry } from "@/lib/contract/timeline";
import type { NamedActor } from "@/lib/contract/versions";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";

const labels: Record<string, string> = {
  phone_no: "Phone number",
  redirect_url: "Return address",
  reference_2: "Second reference",
  expires_at: "Expiry",
  email: "E-mail",
  package_id: "Package",
};

/** A field of the API by a name for people. */
export function fieldLabel(field: string): string {
  const words = field.replaceAll("_", " ");
  return labels[field] ?? `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

/** Who did something, as screens name them. */
export const actorName = ({ kind, name }: NamedActor): string =>
  kind === "key" ? `API key ${name}` : name;

/** A value of a field as people read it; amounts in the digits of `currency`. */
export function shownValue(field: string, value: unknown, currency: string): string {
  if (value === null || value === undefined || value === "") return "none";
  if (
    /(^|_)amount$/.test(field) &&
    Number.isSafeInteger(value) &&
    currencyDigits(currency) !== undefined
  )
    return displayAmount(value as number, currency);
  if (/_at$/.test(field) && typeof value === "string" && !Number.isNaN(Date.parse(value)))
    return absoluteTime(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ") || "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Each entry with the currencies that its amounts before and after were in: walked back from the record's present one, newest entry first. */
export function withCurrencies(
  entries: readonly TimelineEntry[],
  currency: string,
): { entry: TimelineEntry; before: string; after: string }[] {
  let now = currency;
  return entries.map((entry) => {
    const after = now;
    const was = entry.changes.find(({ field }) => field === "currency")?.before;
    if (typeof was === "string") now = was;
    return { entry, before: now, after };
  });
}
