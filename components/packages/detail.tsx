"use client";

import { Ellipsis, UserPlus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type FactsOf, shownFacts } from "@/components/record/facts";
import { JsonCard } from "@/components/record/json-card";
import { Unloaded } from "@/components/record/unloaded";
import { SubscribersCard } from "@/components/subscriptions/subscribers-card";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { Card, Facts } from "@/components/ui/card";
import { Menu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Day, Time } from "@/components/ui/time";
import { GoneNotice } from "@/components/record/gone-notice";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import { createSubscription, getPackage } from "@/lib/contract/operations";
import type { Package } from "@/lib/contract/packages";
import { DeletePackage } from "./delete-dialog";
import { PackageMenuItems } from "./package-menu";
import { frequencyLabel } from "./words";
import { displayAmount } from "@/lib/kernel/money";

/** Everything about one package. */
export function PackageDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const router = useRouter();
  const [gone, setGone] = useState(false);
  const answer = useEndpoint(getPackage, { params: { package_id: id } }, { enabled: !gone });
  const [deleting, setDeleting] = useChosenRow(answer.data && [answer.data]);
  const found = answer.data;
  useTitle(found?.name, found && displayAmount(found.amount, found.currency));
  const back = { href: path("/packages"), label: "Packages" };
  if (!found) return <Unloaded title="Package" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={found.name}
        badge={<StatusBadge status={found.status} />}
        back={back}
        description={
          found.status === "cancel" ? "No new subscribers. Current ones continue." : undefined
        }
        actions={
          <>
            {found.status === "active" && may(createSubscription) ? (
              <LinkButton href={path(`/subscriptions/new?package=${id}`)} variant="primary">
                <UserPlus aria-hidden="true" className="size-4" />
                Subscribe someone
              </LinkButton>
            ) : null}
            <Menu
              trigger={
                <Button aria-label="More actions" className="px-2.5!">
                  <Ellipsis aria-hidden="true" className="size-4" />
                </Button>
              }
            >
              <PackageMenuItems subject={found} onDelete={() => setDeleting(found)} />
            </Menu>
          </>
        }
      />
      <GoneNotice kind="package" id={id} answer={answer} back={back} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <SubscribersCard packageId={id} />
          <JsonCard record={found} />
        </div>
        <Card className="max-xl:order-first">
          <p className="text-heading font-semibold tracking-[-0.022em]">
            <Money amount={found.amount} currency={found.currency} />
          </p>
          {found.description ? (
            <p dir="auto" lang="" className="mt-1 mb-4 whitespace-pre-line text-muted">
              {found.description}
            </p>
          ) : (
            <div className="h-3" />
          )}
          <Facts items={shownFacts(factsOf(found))} />
        </Card>
      </div>
      <DeletePackage
        subject={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={() => {
          setGone(true);
          router.push(path("/packages"));
        }}
      />
    </>
  );
}

const factsOf = (one: Package): FactsOf<Package> => ({
  name: null,
  status: null,
  amount: null,
  amount_decimal: null,
  currency: null,
  description: null,
  business_id: null,
  version: null,
  frequency: { label: "How often", value: frequencyLabel(one.frequency) },
  date_charge_start: {
    label: "Billing starts on",
    value: <Day value={one.date_charge_start} />,
  },
  created_at: { label: "Created", value: <Time value={one.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={one.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{one._id}</span> },
});
