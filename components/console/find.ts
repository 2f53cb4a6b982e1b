import { CreditCard, Layers, Link2, type LucideIcon, Repeat, Ticket } from "lucide-react";
import { call } from "@/lib/client/call";
import type { Scope } from "@/lib/client/scope";
import { listPackages } from "@/lib/contract/packages";
import { listPaymentLinks } from "@/lib/contract/payment-links";
import { listPayments } from "@/lib/contract/payments";
import { listSubscriptions } from "@/lib/contract/subscriptions";
import { listTokenizations } from "@/lib/contract/tokenizations";
import { displayAmount } from "@/lib/kernel/money";

export type Found = { heading: string; icon: LucideIcon; rows: { id: string; path: string; title: string; detail: string }[] };

const few = 5;

/** Records of this business and mode that a text finds: by e-mail, reference, title or id. A kind that fails is left out. */
export async function find(text: string, scope: Scope, signal: AbortSignal): Promise<Found[]> {
  const query = { q: text, per_page: few };
  const options = { scope, signal };
  const kinds: Promise<Found>[] = [
    call(listPaymentLinks, { query }, options).then(({ data }) => ({
      heading: "Payment links", icon: Link2,
      rows: data.map((link) => ({ id: link._id, path: `/payment-links/${link._id}`, title: `${link.title} · ${displayAmount(link.amount, link.currency)}`, detail: link.reference ?? link.email })),
    })),
    call(listSubscriptions, { query }, options).then(({ data }) => ({
      heading: "Subscriptions", icon: Repeat,
      rows: data.map((one) => ({ id: one._id, path: `/subscriptions/${one._id}`, title: one.email, detail: one.package.name })),
    })),
    call(listTokenizations, { query }, options).then(({ data }) => ({
      heading: "Tokens", icon: Ticket,
      rows: data.map((one) => ({ id: one._id, path: `/tokens/${one._id}`, title: one.email, detail: one.status })),
    })),
    call(listPackages, { query }, options).then(({ data }) => ({
      heading: "Packages", icon: Layers,
      rows: data.map((one) => ({ id: one._id, path: `/packages/${one._id}`, title: one.name, detail: displayAmount(one.amount, one.currency) })),
    })),
    call(listPayments, { query }, options).then(({ data }) => ({
      heading: "Payments", icon: CreditCard,
      rows: data.map((one) => ({ id: one._id, path: `/payments/${one._id}`, title: displayAmount(one.amount, one.currency), detail: one.reference ?? one.status })),
    })),
  ];
  const answers = await Promise.allSettled(kinds);
  if (answers.every(({ status }) => status === "rejected")) throw (answers[0] as PromiseRejectedResult).reason;
  return answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value.rows.length > 0 ? [answer.value] : []));
}
