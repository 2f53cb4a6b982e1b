"use client";

import { CircleCheck, ExternalLink, Plus, X } from "lucide-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useEffect, useRef } from "react";
import { AnchorButton, IconButton } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { CopyButton } from "@/components/ui/copy-button";
import { useScope } from "@/lib/client/use-scope";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { RemindButton } from "./remind-button";
import { payable } from "./rules";
import { SendButton } from "./send-button";
import { LinkQrButton, ShareButton } from "./share";

/** Where the payer pays and, while the link takes money, every way to get it there. Right after creating it says so and takes the focus. */
export function AddressPanel({ link }: { link: PaymentLink }) {
  const { path } = useScope();
  const [isNew, setCreated] = useQueryState(
    "created",
    parseAsBoolean.withOptions({ history: "replace" }),
  );
  const open = payable(link);
  const created = isNew && open;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (created) heading.current?.focus();
  }, [created]);
  return (
    <section
      aria-label={created ? "Payment link created" : "Payment address"}
      className="guilloche rounded-card bg-surface p-5 shadow-sheet"
    >
      {created ? (
        <div className="mb-3 flex flex-wrap items-start gap-x-3 gap-y-2">
          <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-good" />
          <div className="min-w-48 flex-1">
            <h2 ref={heading} tabIndex={-1} className="text-lead font-semibold outline-none">
              Your payment link is ready
            </h2>
            <p className="text-muted">Share this link. Anyone who opens it can pay.</p>
          </div>
          <LinkButton
            href={path(`/payment-links/new?currency=${link.currency}`)}
            size="small"
            className="max-sm:order-1"
          >
            <Plus aria-hidden="true" className="size-4" />
            Create another
          </LinkButton>
          <IconButton label="Dismiss" hint={false} onClick={() => void setCreated(null)}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ) : (
        <h2 className="mb-1 text-body font-semibold tracking-[-0.01em]">Payment address</h2>
      )}
      <a
        href={link.payment_url}
        target="_blank"
        rel="noreferrer"
        className="block font-mono text-small text-accent underline underline-offset-3"
      >
        {link.payment_url}
      </a>
      <div className="mt-4 flex flex-wrap gap-2">
        {open ? (
          <>
            <CopyButton
              text={link.payment_url}
              label="Copy payment link"
              variant={created ? "primary" : undefined}
            />
            <LinkQrButton link={link} />
            <ShareButton link={link} />
          </>
        ) : null}
        <AnchorButton href={link.payment_url} target="_blank" rel="noreferrer">
          <ExternalLink aria-hidden="true" className="size-4" />
          Open
        </AnchorButton>
        <SendButton link={link} />
        {created ? null : <RemindButton link={link} />}
      </div>
    </section>
  );
}
