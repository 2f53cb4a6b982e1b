"use client";

import { Plus } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { SendKnown } from "@/components/payment-links/send-button";
import { RecordsCard } from "@/components/record/records-card";
import { methodOf } from "@/components/tokens/words";
import { StatusBadge } from "@/components/ui/badge";
import { LinkButton } from "@/components/ui/link-button";
import { Money } from "@/components/ui/money";
import { Day, Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Customer } from "@/lib/contract/customers";
import {
  chargeToken,
  createPaymentLink,
  createSubscription,
  createToken,
  listMails,
  listPaymentLinks,
  listSubscriptions,
  listTokenizations,
} from "@/lib/contract/operations";

/** The newest records of a kind. */
const newestOf = (email: string) => ({ email, page: 1, per_page: 10 });

/** What a customer was asked to pay; an open link can be sent again. */
export function LinksCard({ customer }: { customer: Customer }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(listPaymentLinks, { query: newestOf(customer.email) });
  const mails = useEndpoint(listMails, { query: { email: customer.email, per_page: 20 } });
  return (
    <RecordsCard
      title="Payment links"
      answer={answer}
      none="No payment link yet."
      all={path(`/payment-links?email=${encodeURIComponent(customer.email)}`)}
      actions={
        may(createPaymentLink) ? <New to="/payment-links/new" customer={customer} /> : undefined
      }
    >
      {(link) => (
        <>
          <Lead to={`/payment-links/${link._id}`} title={link.title} status={link.status}>
            <Money amount={link.amount} currency={link.currency} /> ·{" "}
            <Time value={link.created_at} />
          </Lead>
          <SendKnown link={link} mails={mails} size="small" />
        </>
      )}
    </RecordsCard>
  );
}

/** The payment methods that a customer saved. */
export function MethodsCard({ customer }: { customer: Customer }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(listTokenizations, { query: newestOf(customer.email) });
  return (
    <RecordsCard
      title="Saved methods"
      answer={answer}
      none="No saved payment method."
      all={path(`/tokens?email=${encodeURIComponent(customer.email)}`)}
      actions={may(createToken) ? <New to="/tokens/new" customer={customer} /> : undefined}
    >
      {(token) => (
        <>
          <Lead to={`/tokens/${token._id}`} title={token.title} status={token.status}>
            {methodOf(token) ?? "Nothing saved"} · <Time value={token.created_at} />
          </Lead>
          {token.status === "active" && may(chargeToken) ? (
            <LinkButton
              size="small"
              href={path(`/tokens/${token._id}/charge`)}
              aria-label={`Charge ${token.title}`}
            >
              Charge
            </LinkButton>
          ) : null}
        </>
      )}
    </RecordsCard>
  );
}

/** What a customer is subscribed to. */
export function SubscriptionsCard({ customer }: { customer: Customer }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(listSubscriptions, { query: newestOf(customer.email) });
  return (
    <RecordsCard
      title="Subscriptions"
      answer={answer}
      none="No subscription."
      all={path(`/subscriptions?email=${encodeURIComponent(customer.email)}`)}
      actions={
        may(createSubscription) ? <New to="/subscriptions/new" customer={customer} /> : undefined
      }
    >
      {(one) => (
        <Lead to={`/subscriptions/${one._id}`} title={one.package.name} status={one.status}>
          <Money amount={one.package.amount} currency={one.package.currency} /> · next charge:{" "}
          <Day value={one.next_charge_at} none="none" />
        </Lead>
      )}
    </RecordsCard>
  );
}

const news: Record<string, string> = {
  "/payment-links/new": "New payment link",
  "/tokens/new": "Issue token",
  "/subscriptions/new": "Subscribe",
};

/** Begins a record for the customer: the form has the address. */
function New({ to, customer }: { to: string; customer: Customer }) {
  const { path } = useScope();
  return (
    <LinkButton size="small" href={path(`${to}?customer=${customer._id}`)}>
      <Plus aria-hidden="true" className="size-4" />
      {news[to]}
    </LinkButton>
  );
}

type LeadProps = { to: string; title: string; status: string; children: ReactNode };

function Lead({ to, title, status, children }: LeadProps) {
  const { path } = useScope();
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          prefetch={false}
          href={path(to)}
          dir="auto"
          lang=""
          className="inline-flex min-h-6 items-center font-medium wrap-anywhere underline-offset-3 hover:underline"
        >
          {title}
        </Link>
        <StatusBadge status={status} />
      </p>
      <p className="mt-0.5 text-fine text-muted">{children}</p>
    </div>
  );
}
