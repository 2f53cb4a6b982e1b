"use client";

import { CircleCheck, ExternalLink, X } from "lucide-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useEffect, useRef } from "react";
import { QrButton } from "@/components/record/qr-button";
import { ShareAddress } from "@/components/record/share-address";
import { AnchorButton, IconButton } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Time } from "@/components/ui/time";
import { fileAddress } from "@/lib/client/files";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { getActivationQrPng, getActivationQrSvg } from "@/lib/contract/operations";
import type { SeenTokenization } from "@/lib/contract/tokenizations";

/** Where the payer saves a method, while they can. Right after issuing it says so and takes the focus. */
export function ActivationPanel({ token }: { token: SeenTokenization }) {
  const [created, setCreated] = useQueryState(
    "created",
    parseAsBoolean.withOptions({ history: "replace" }),
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (created) heading.current?.focus();
  }, [created]);
  const scope = useScope();
  const { may } = useMembership();
  const input = { params: { token: token._id } };
  const address = token.activation_url;
  if (token.status !== "pending" || !address) return null;
  return (
    <section
      aria-label={created ? "Token issued" : "Activation link"}
      className="guilloche rounded-card bg-surface p-5 shadow-sheet"
    >
      {created ? (
        <div className="mb-3 flex items-start gap-3">
          <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-good" />
          <div className="min-w-0 flex-1">
            <h2 ref={heading} tabIndex={-1} className="text-lead font-semibold outline-none">
              Your activation link is ready
            </h2>
            <p className="text-muted">
              Share this link with {token.email}. Anyone who opens it can save a payment method.
            </p>
          </div>
          <IconButton label="Dismiss" hint={false} onClick={() => void setCreated(null)}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      ) : (
        <h2 className="mb-1 text-body font-semibold tracking-[-0.01em]">Activation link</h2>
      )}
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className="block font-mono text-small text-accent underline underline-offset-3"
      >
        {address}
      </a>
      <p className="mt-1 text-fine text-muted">
        Works until <Time value={token.expires_at} />.
      </p>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton
          text={address}
          label="Copy activation link"
          variant={created ? "primary" : undefined}
        />
        {may(getActivationQrSvg) ? (
          <QrButton
            address={address}
            files={{
              svg: fileAddress(getActivationQrSvg, input, scope),
              png: fileAddress(getActivationQrPng, input, scope),
            }}
            name={token._id}
            alt={`QR code of the activation link ${token.title}`}
            description="Opens the page for saving a payment method on the phone that reads it."
            title={token.title}
            text={token.email}
          />
        ) : null}
        <ShareAddress
          address={address}
          title={token.title}
          text="Save your payment method"
          message={`Please save your payment method here:\n${address}`}
          payer={{ email: token.email, phone: token.phone_no }}
        />
        <AnchorButton href={address} target="_blank" rel="noreferrer">
          <ExternalLink aria-hidden="true" className="size-4" />
          Open
        </AnchorButton>
      </div>
    </section>
  );
}
