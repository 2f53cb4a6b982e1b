"use client";

import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { Confirm } from "@/components/ui/dialog";
import { type Draft, useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useZone } from "@/lib/client/use-zone";
import {
  deleteSubscription,
  getSubscription,
  listPackages,
  listPaymentLinks,
  listSubscriptions,
  updateSubscription,
} from "@/lib/contract/operations";
import type { Subscription } from "@/lib/contract/subscriptions";
import { cancelEffects, paymentUnderWay } from "./words";

type DialogProps = { subscription: Subscription | null; onClose: () => void };

const cancelled =
  (id: string) =>
  ({ change }: Draft) => {
    const put = (one: Subscription): Subscription =>
      one._id === id ? { ...one, status: "cancel", next_charge_at: null } : one;
    change(listSubscriptions, (page) => ({ ...page, data: page.data.map(put) }));
    change(getSubscription, put);
  };

/** Says what cancelling will do and does it: shown at once, put back when the API refuses. There is no way back afterwards. */
export function CancelDialog({ subscription, onClose }: DialogProps) {
  const unsent = useUnsentReason();
  const zone = useZone();
  const { run } = useAction(updateSubscription, {
    invalidates: [listPaymentLinks, listPackages],
    optimistic: (draft, { params }) => cancelled(params.subscription_id)(draft),
    onSuccess: ({ email }) =>
      notify({ title: `The subscription of ${email} is cancelled`, tone: "good" }),
  });
  const cancel = () => {
    if (subscription)
      run({ params: { subscription_id: subscription._id }, body: { status: "cancel" } });
    onClose();
  };
  return (
    <Confirm
      title={`Cancel the subscription of ${subscription?.email ?? ""}?`}
      confirm="Cancel subscription"
      cancel="Keep it"
      open={subscription !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={cancel}
    >
      {subscription ? (
        <>
          <p className="mb-2">“{subscription.package.name}” ends at once. This cannot be undone.</p>
          <ul className="grid list-disc gap-1 pl-5">
            {cancelEffects(subscription, zone, unsent).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      ) : null}
    </Confirm>
  );
}

/** Has the subscriber's address typed before a subscription is deleted, since nothing brings it back. */
export function DeleteDialog({
  subscription,
  onClose,
  onDeleted,
}: DialogProps & { onDeleted?: () => void }) {
  const { run, busy } = useAction(deleteSubscription, {
    invalidates: [listPaymentLinks, listPackages],
    onSuccess: ({ email }) => {
      notify({ title: `The subscription of ${email} is deleted`, tone: "good" });
      onClose();
      onDeleted?.();
    },
  });
  return (
    <Confirm
      title={`Delete the subscription of ${subscription?.email ?? ""}?`}
      confirm="Delete for good"
      cancel="Keep it"
      typed={subscription?.email}
      busy={busy}
      open={subscription !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => subscription && run({ params: { subscription_id: subscription._id } })}
    >
      <p>
        It ends at once, its unpaid links can no longer be paid, and it is gone from every list. Its
        payments and events stay. This cannot be undone; to keep it on record, cancel it instead.
      </p>
      {subscription
        ? paymentUnderWay(subscription).map((text) => (
            <p key={text} className="mt-2">
              {text}
            </p>
          ))
        : null}
    </Confirm>
  );
}
