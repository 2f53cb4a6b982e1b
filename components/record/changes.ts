import { flagTitle } from "@/components/payments/words";
import { statusLabel } from "@/components/ui/badge";
import { absoluteTime } from "@/lib/client/times";
import type { BusinessInput } from "@/lib/contract/business";
import type { CustomerUpdate } from "@/lib/contract/customers";
import type { PackageUpdate } from "@/lib/contract/packages";
import type { PaymentLinkUpdate } from "@/lib/contract/payment-links";
import type { SubscriptionUpdate } from "@/lib/contract/subscriptions";
import type { TimelineEntry } from "@/lib/contract/timeline";
import type { NamedActor } from "@/lib/contract/versions";
import type { WebhookEndpointUpdate } from "@/lib/contract/webhooks";
import { currencyDigits } from "@/lib/kernel/currencies";
import type { Reminder } from "@/lib/contract/reminders";
import { displayAmount } from "@/lib/kernel/money";
import { scheduleWords } from "./reminder-words";

/** The fields that are edited, and those of timelines that need other words. */
type Named =
  | Exclude<
      | keyof PaymentLinkUpdate
      | keyof PackageUpdate
      | keyof SubscriptionUpdate
      | keyof CustomerUpdate
      | keyof WebhookEndpointUpdate
      | keyof BusinessInput,
      "version"
    >
  | "package_id"
  | "customer_name";

const labels: Record<Named, string> = {
  name: "Name",
  customer_name: "Payer’s name",
  title: "Title",
  description: "Description",
  amount: "Amount",
  currency: "Currency",
  frequency: "How often",
  date_charge_start: "Billing starts on",
  status: "Status",
  email: "E-mail",
  phone_no: "Phone number",
  language: "Language",
  notes: "Notes",
  send_email: "Send the link by e-mail",
  reference: "Reference",
  reference_2: "Second reference",
  expires_at: "Expiry",
  due_at: "Due",
  reminders: "Reminders",
  redirect_url: "Return address",
  package_id: "Package",
  url: "Address",
  events: "Events",
  enabled: "Enabled",
  time_zone: "Time zone",
  default_currency: "Default currency",
  accent: "Colour",
  support_email: "E-mail for questions",
  support_phone: "Phone for questions",
  retry_days: "Days on which a failed charge is tried again",
};

/** A field of the API by a name for people. */
export function fieldLabel(field: string): string {
  if (Object.hasOwn(labels, field)) return labels[field as Named];
  const words = field.replaceAll("_", " ");
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

/** Who did something, as screens name them. */
export const actorName = ({ kind, name }: NamedActor): string =>
  kind === "key" ? `API key ${name}` : name;

const spaced = (text: string) => ` ${text.split(/[^\p{L}\p{M}\p{N}]+/u).join(" ")} `;

/** Whether a title says a name, as whole words: "Cancelled" does not say "An". */
export const hasWords = (title: string, name: string): boolean =>
  spaced(title).includes(spaced(name));

/** A value of a field as people read it; amounts in the digits of `currency`, moments in `timeZone` or else the viewer's. */
export function shownValue(
  field: string,
  value: unknown,
  currency: string,
  timeZone?: string,
): string {
  if (field === "reminders")
    return Array.isArray(value) ? scheduleWords(value as Reminder[]) : "none of its own";
  if (value === null || value === undefined || value === "") return "none";
  if (
    /(^|_)amount$/.test(field) &&
    Number.isSafeInteger(value) &&
    currencyDigits(currency) !== undefined
  )
    return displayAmount(value as number, currency);
  if (/(^|_)status$/.test(field) && typeof value === "string") return statusLabel(value);
  if (field === "flags" && Array.isArray(value))
    return value.map((flag) => flagTitle(String(flag))).join(", ") || "none";
  if (/_at$/.test(field) && typeof value === "string" && !Number.isNaN(Date.parse(value)))
    return absoluteTime(value, timeZone);
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
