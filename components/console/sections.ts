import {
  Code,
  CreditCard,
  Gauge,
  Layers,
  Link2,
  type LucideIcon,
  Mail,
  Repeat,
  Scale,
  Settings,
  Ticket,
  Users,
} from "lucide-react";

export type Section = {
  path: string;
  label: string;
  icon: LucideIcon;
  key: string;
  words?: string;
};

/** The rooms of the console, in the order of its navigation; `key` follows "g" on the keyboard. */
export const sections: readonly Section[] = [
  { path: "", label: "Overview", icon: Gauge, key: "o", words: "home dashboard" },
  { path: "/payment-links", label: "Payment links", icon: Link2, key: "l", words: "invoices" },
  { path: "/customers", label: "Customers", icon: Users, key: "c", words: "payers people" },
  {
    path: "/tokens",
    label: "Tokens",
    icon: Ticket,
    key: "t",
    words: "saved methods tokenizations",
  },
  { path: "/packages", label: "Packages", icon: Layers, key: "k", words: "plans prices" },
  { path: "/subscriptions", label: "Subscriptions", icon: Repeat, key: "s", words: "recurring" },
  { path: "/payments", label: "Payments", icon: CreditCard, key: "p", words: "attempts receipts" },
  {
    path: "/balance",
    label: "Balance",
    icon: Scale,
    key: "b",
    words: "ledger refunds fees net books",
  },
  { path: "/mails", label: "Mails", icon: Mail, key: "m", words: "e-mail" },
  {
    path: "/developers",
    label: "Developers",
    icon: Code,
    key: "d",
    words: "api keys events log webhooks",
  },
  {
    path: "/settings",
    label: "Settings",
    icon: Settings,
    key: "e",
    words: "team security business audit",
  },
];

/** The section an address of the console belongs to. */
export const sectionOf = (pathname: string): Section | undefined => {
  const at = pathname.split("/")[4];
  return sections.find(({ path }) => path === (at ? `/${at}` : ""));
};
