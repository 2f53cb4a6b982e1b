"use client";

import { ExternalLink } from "lucide-react";
import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { AnchorButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CopyButton } from "@/components/ui/copy-button";
import { Money } from "@/components/ui/money";
import { useScope } from "@/lib/client/use-scope";
import type { Subscription } from "@/lib/contract/subscriptions";
import { type Period, periodOf } from "./words";

/** The payment links of a subscription's periods, the newest first. */
export function PeriodsCard({ subscription }: { subscription: Subscription }) {
  const { payment_links: links } = subscription;
  return (
    <Card
      title="Period links"
      description={
        links.length > 0 ? "A link is created for a period that no saved method pays." : undefined
      }
    >
      {links.length === 0 ? (
        <p className="text-muted">No period has needed a payment link.</p>
      ) : (
        <ul aria-label="Period links" className="-my-2.5 divide-y divide-line">
          {links.map((link) => (
            <Row key={link._id} link={link} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Row({ link }: { link: Period }) {
  const { path } = useScope();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          href={path(`/payment-links/${link._id}`)}
          className="inline-block min-h-6 font-medium underline-offset-3 hover:underline"
        >
          {periodOf(link)}
        </Link>
        <StatusBadge status={link.status} />
        <Money amount={link.amount} currency={link.currency} className="text-muted" />
      </span>
      {link.status === "Active" ? (
        <span className="flex gap-2">
          <CopyButton size="small" text={link.payment_url} label="Copy payment link" />
          <AnchorButton size="small" href={link.payment_url} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden="true" className="size-3.5" />
            Open
          </AnchorButton>
        </span>
      ) : null}
    </li>
  );
}
