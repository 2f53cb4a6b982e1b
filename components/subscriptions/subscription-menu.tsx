"use client";

import { Ban, Pencil, Trash2 } from "lucide-react";
import { MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { deleteSubscription, updateSubscription } from "@/lib/contract/operations";
import type { Subscription } from "@/lib/contract/subscriptions";
import { erasedEmail } from "@/lib/contract/values";

type MenuProps = {
  subscription: Subscription;
  onCancel: (one: Subscription) => void;
  onDelete: (one: Subscription) => void;
};

/** What can be done with a subscription, without what the API would refuse now or to this person. */
export function SubscriptionMenuItems({ subscription, onCancel, onDelete }: MenuProps) {
  const { path } = useScope();
  const { may } = useMembership();
  const live = subscription.status !== "cancel";
  return (
    <>
      <MenuLink href={path(`/packages/${subscription.package_id}`)}>Show package</MenuLink>
      {subscription.email === erasedEmail ? null : (
        <MenuLink href={path(`/customers/find?email=${encodeURIComponent(subscription.email)}`)}>
          Show customer
        </MenuLink>
      )}
      {live && may(updateSubscription) ? (
        <>
          <MenuLink
            href={path(`/subscriptions/${subscription._id}/edit`)}
            icon={<Pencil aria-hidden="true" />}
          >
            Edit
          </MenuLink>
          <MenuItem onSelect={() => onCancel(subscription)} icon={<Ban aria-hidden="true" />}>
            Cancel subscription…
          </MenuItem>
        </>
      ) : null}
      {may(deleteSubscription) ? (
        <>
          <MenuLine />
          <MenuItem
            tone="danger"
            onSelect={() => onDelete(subscription)}
            icon={<Trash2 aria-hidden="true" />}
          >
            Delete…
          </MenuItem>
        </>
      ) : null}
    </>
  );
}
