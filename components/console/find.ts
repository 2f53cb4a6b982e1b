import { CreditCard, Layers, Link2, type LucideIcon, Repeat, Ticket, Users } from "lucide-react";
import { call } from "@/lib/client/call";
import type { Scope } from "@/lib/client/scope";
import { search } from "@/lib/contract/operations";
import type { Found } from "@/lib/contract/search";
import type { searchKinds } from "@/lib/contract/values";
import { displayAmount } from "@/lib/kernel/money";

type FoundRow = {
  id: string;
  path: string;
  title: string;
  detail: string | null;
  status: string | null;
};
/** `all` is the list with everything that the text finds, where there may be more than these rows. */
export type FoundGroup = {
  heading: string;
  icon: LucideIcon;
  rows: FoundRow[];
  all: string | undefined;
};

const SHOWN = 5;

const places: Record<
  (typeof searchKinds)[number],
  { heading: string; icon: LucideIcon; path: string }
> = {
  payment_link: { heading: "Payment links", icon: Link2, path: "/payment-links" },
  customer: { heading: "Customers", icon: Users, path: "/customers" },
  subscription: { heading: "Subscriptions", icon: Repeat, path: "/subscriptions" },
  tokenization: { heading: "Tokens", icon: Ticket, path: "/tokens" },
  package: { heading: "Packages", icon: Layers, path: "/packages" },
  payment: { heading: "Payments", icon: CreditCard, path: "/payments" },
};

const rowOf = ({ _id: id, kind, title, detail, status, amount, currency }: Found): FoundRow => ({
  id,
  path: `${places[kind].path}/${id}`,
  detail,
  status,
  title:
    amount === null || currency === null ? title : `${title} · ${displayAmount(amount, currency)}`,
});

/** Records of this business and mode that a text finds: by name, phone number, e-mail, reference, title or id, in groups of a kind. */
export async function find(text: string, scope: Scope, signal: AbortSignal): Promise<FoundGroup[]> {
  const found = await call(search, { query: { q: text } }, { scope, signal });
  return Object.entries(places).flatMap(([kind, { heading, icon, path }]) => {
    const ofKind = found.filter((one) => one.kind === kind);
    // Lists search texts alone.
    const isCut = ofKind.length === SHOWN && ofKind.some(({ matched }) => matched === "text");
    const all = isCut ? `${path}?q=${encodeURIComponent(text)}` : undefined;
    return ofKind.length > 0 ? [{ heading, icon, rows: ofKind.map(rowOf), all }] : [];
  });
}
