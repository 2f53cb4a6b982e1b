"use client";

import { Ellipsis, Pencil, UserX } from "lucide-react";
import { MailsCard } from "@/components/mails/mails-card";
import { PaymentsCard } from "@/components/payments/payments-card";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { JsonCard } from "@/components/record/json-card";
import { TimelineCard } from "@/components/record/timeline";
import { Unloaded } from "@/components/record/unloaded";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { LinkButton } from "@/components/ui/link-button";
import { Menu, MenuLink } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { withoutGone } from "@/lib/client/gone";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import type { Customer } from "@/lib/contract/customers";
import {
  erasePayer,
  getBusiness,
  getCustomer,
  getCustomerTimeline,
  updateCustomer,
} from "@/lib/contract/operations";
import { LinksCard, MethodsCard, SubscriptionsCard } from "./records";
import { TotalsCard } from "./totals-card";
import { languageName } from "./words";

/** Everything about one payer, and the buttons that start a link, a token, a charge or a subscription for them. */
export function CustomerDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may, role } = useMembership();
  const input = { params: { customer_id: id } };
  const answer = withoutGone(useEndpoint(getCustomer, input));
  const timeline = useEndpoint(getCustomerTimeline, input);
  const business = useEndpoint(getBusiness, {});
  const customer = answer.data;
  useTitle(customer?.name ?? customer?.email, customer?.name ? customer.email : undefined);
  const back = { href: path("/customers"), label: "Customers" };
  if (!customer) return <Unloaded title="Customer" back={back} answer={answer} />;
  const { email, name, notes } = customer;
  return (
    <>
      <PageHeader
        title={name ?? email}
        back={back}
        description={name === null ? undefined : email}
        actions={
          <>
            {may(updateCustomer) ? (
              <LinkButton href={path(`/customers/${id}/edit`)}>
                <Pencil aria-hidden="true" className="size-4" />
                Edit
              </LinkButton>
            ) : null}
            {may(erasePayer) ? (
              <Menu
                trigger={
                  <Button aria-label="More actions" className="px-2.5!">
                    <Ellipsis aria-hidden="true" className="size-4" />
                  </Button>
                }
              >
                <MenuLink
                  href={path(`/settings/payers?email=${encodeURIComponent(email)}`)}
                  icon={<UserX aria-hidden="true" />}
                >
                  Erase this payer…
                </MenuLink>
              </Menu>
            ) : null}
          </>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <TotalsCard id={id} />
          <LinksCard customer={customer} />
          <MethodsCard customer={customer} />
          <SubscriptionsCard customer={customer} />
          <PaymentsCard of={{ email }} none="No payment attempts yet." />
          <MailsCard of={{ email }} timeline={getCustomerTimeline} />
          <TimelineCard answer={timeline} currency={business.data?.default_currency ?? "MYR"} />
          <JsonCard record={customer} />
        </div>
        <div className="grid min-w-0 gap-5 max-xl:order-first">
          <Card title="Customer">
            <Facts items={shownFacts(factsOf(customer))} />
          </Card>
          {role === "viewer" ? null : (
            <Card title="Notes">
              {notes === null ? (
                <p className="text-muted">No notes yet.</p>
              ) : (
                <p dir="auto" lang="" className="wrap-anywhere whitespace-pre-line">
                  {notes}
                </p>
              )}
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

const factsOf = (one: Customer): FactsOf<Customer> => ({
  name: null,
  notes: null,
  business_id: null,
  version: null,
  email: { label: "E-mail", value: <span className="wrap-anywhere">{one.email}</span> },
  phone_no: { label: "Phone number", value: one.phone_no },
  language: given("Language", one.language && languageName(one.language)),
  created_at: { label: "Since", value: <Time value={one.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={one.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{one._id}</span> },
});
