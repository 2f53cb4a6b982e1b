"use client";

import { CreditCard } from "lucide-react";
import { MailsCard } from "@/components/mails/mails-card";
import { PaymentsCard } from "@/components/payments/payments-card";
import { CustomerLink } from "@/components/record/customer-link";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { TimelineCard } from "@/components/record/timeline";
import { Unloaded } from "@/components/record/unloaded";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { Card, Facts } from "@/components/ui/card";
import { CopyButton } from "@/components/ui/copy-button";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  chargeToken,
  createToken,
  getTokenization,
  getTokenizationTimeline,
  revokeTokenization,
} from "@/lib/contract/operations";
import type { SeenTokenization } from "@/lib/contract/tokenizations";
import { ActivationPanel } from "./activation-panel";
import { RevokeDialog } from "./revoke-dialog";
import { meaningOf, methodOf, revocable } from "./words";

/** Everything about one token; `id` is the record's, since the token itself is a secret. */
export function TokenDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const input = { params: { token: id } };
  const answer = useEndpoint(getTokenization, input);
  const timeline = useEndpoint(getTokenizationTimeline, input);
  const [revoking, setRevoking] = useChosenRow(answer.data && [answer.data]);
  const token = answer.data;
  useTitle(token?.title, token?.email);
  const back = { href: path("/tokens"), label: "Tokens" };
  if (!token) return <Unloaded title="Token" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={token.title}
        badge={<StatusBadge status={token.status} />}
        back={back}
        actions={
          <>
            {revocable(token) && may(revokeTokenization) ? (
              <Button variant="danger" onClick={() => setRevoking(token)}>
                Revoke…
              </Button>
            ) : null}
            {token.status === "active" && may(chargeToken) ? (
              <LinkButton href={path(`/tokens/${id}/charge`)} variant="primary">
                <CreditCard aria-hidden="true" className="size-4" />
                Charge
              </LinkButton>
            ) : null}
            {token.status === "expired" && may(createToken) ? (
              <LinkButton href={path("/tokens/new")} variant="primary">
                Issue token
              </LinkButton>
            ) : null}
          </>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <Card>
            <p className="text-lead font-semibold">{methodOf(token) ?? "No method saved"}</p>
            <p className="mt-0.5 max-w-prose text-muted">{meaningOf(token)}</p>
          </Card>
          <ActivationPanel token={token} />
          <TimelineCard answer={timeline} currency="" />
          <PaymentsCard of={{ tokenization_id: id }} none="Nothing has been charged yet." />
          {token.activated_at ? (
            <MailsCard of={{ tokenization_id: id }} timeline={getTokenizationTimeline} />
          ) : null}
        </div>
        <Card>
          <p dir="auto" lang="" className="mb-4 whitespace-pre-line text-muted">
            {token.description}
          </p>
          <Facts items={shownFacts(factsOf(token))} />
        </Card>
      </div>
      <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

const factsOf = (token: SeenTokenization): FactsOf<SeenTokenization> => ({
  title: null,
  description: null,
  activation_url: null,
  status: null,
  business_id: null,
  expires_at: null,
  email: { label: "Payer", value: <CustomerLink email={token.email} /> },
  phone_no: { label: "Phone number", value: token.phone_no },
  redirect_url: { label: "Return address", value: token.redirect_url },
  payment_method: token.payment_method && [
    { label: "Method", value: methodOf(token) },
    { label: "Valid until", value: token.payment_method.exp },
  ],
  token: given("Token", token.token && <ShortToken token={token.token} />),
  activated_at: { label: "Activated", value: <Time value={token.activated_at} none="Not yet" /> },
  created_at: { label: "Issued", value: <Time value={token.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={token.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{token._id}</span> },
});

function ShortToken({ token }: { token: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="font-mono text-fine">
        {token.slice(0, 4)}…{token.slice(-4)}
      </span>
      <CopyButton icon text={token} label="Copy token" />
    </span>
  );
}
