"use client";

import { useRef } from "react";
import { useEditForm } from "@/components/form/use-edit-form";
import { GoneNotice } from "@/components/record/gone-notice";
import { actorName } from "@/components/record/changes";
import { NotAllowed } from "@/components/record/not-allowed";
import { LinkButton } from "@/components/ui/link-button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useFresh } from "@/lib/client/use-fresh";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import {
  getBusiness,
  getPaymentLink,
  getPaymentLinkTimeline,
  updatePaymentLink,
} from "@/lib/contract/operations";
import { type PaymentLink, PaymentLinkUpdate } from "@/lib/contract/payment-links";
import { FormSkeleton } from "./create";
import { LinkForm } from "./link-form";
import { changeable } from "./rules";

/** Changes a payment link; its address stays the same. */
export function EditLink({ id }: { id: string }) {
  const { path } = useScope();
  const { may, business: own } = useMembership();
  const business = useEndpoint(getBusiness, {});
  const link = useEndpoint(getPaymentLink, { params: { payment_link_id: id } });
  const failed = business.error ?? link.error;
  const isFresh = useFresh(link);
  const wasOpen = useRef(false);
  if (isFresh && business.data && link.data && changeable(link.data)) wasOpen.current = true;
  return (
    <>
      <PageHeader
        title="Edit payment link"
        description={
          link.data
            ? `“${link.data.title}”. Its address stays the same; a payer who has it open is shown the change before paying.`
            : undefined
        }
        back={{ href: path(`/payment-links/${id}`), label: link.data?.title ?? "Payment link" }}
      />
      <GoneNotice
        kind="payment_link"
        id={id}
        answer={link}
        back={{ href: path("/payment-links"), label: "Payment links" }}
      />
      {own && !may(updatePaymentLink) ? (
        <NotAllowed what="payment links" />
      ) : isFresh && business.data && link.data ? (
        changeable(link.data) ? (
          <Fields key={link.data._id} business={business.data} link={link.data} />
        ) : (
          <Fixed link={link.data} wasOpen={wasOpen.current} />
        )
      ) : failed && !(business.data && link.data) ? (
        <ErrorState
          error={failed}
          retry={() => void Promise.all([business.refetch(), link.refetch()])}
        />
      ) : (
        <FormSkeleton />
      )}
    </>
  );
}

function Fields({ business, link }: { business: Business; link: PaymentLink }) {
  const { path } = useScope();
  const update = useAction(updatePaymentLink, { onProblem: () => undefined });
  const back = path(`/payment-links/${link._id}`);
  const form = useEditForm(PaymentLinkUpdate, {
    kind: "payment_link",
    record: link,
    extra: { send_email: false },
    submit: (body) => update.runAsync({ params: { payment_link_id: link._id }, body }),
    onSaved: ({ title }, go) => {
      notify({ title: `“${title}” saved`, tone: "good" });
      go(back);
    },
  });
  return (
    <LinkForm
      form={form}
      business={business}
      link={link}
      save="Save changes"
      cancelHref={back}
      mailHint="E-mails the payer about the change."
    />
  );
}

function Fixed({ link, wasOpen }: { link: PaymentLink; wasOpen: boolean }) {
  const { path } = useScope();
  const timeline = useEndpoint(
    getPaymentLinkTimeline,
    { params: { payment_link_id: link._id } },
    { enabled: wasOpen && link.status === "Paid" },
  );
  const paid = timeline.data?.find(({ kind }) => kind === "payment.succeeded");
  const why = link.subscription_id
    ? "It belongs to a subscription’s period."
    : link.status === "Paid"
      ? paid
        ? `${paid.title} by ${paid.actor.kind === "payer" ? link.email : actorName(paid.actor)}.`
        : "It is paid."
      : "A payment for it is being processed.";
  return (
    <Card>
      <div role={wasOpen ? "alert" : undefined}>
        <p className="font-medium">
          {wasOpen
            ? "This changed while you had it open. Your changes were not saved"
            : "This payment link cannot be changed"}
        </p>
        <p className="mt-0.5 mb-4 text-muted">{why}</p>
      </div>
      <LinkButton href={path(`/payment-links/${link._id}`)}>Back to the payment link</LinkButton>
    </Card>
  );
}
