"use client";

import { Banknote, Ban, Copy, ExternalLink, Pencil, RotateCcw, Trash2 } from "lucide-react";
import { MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  cancelPaymentLink,
  createPaymentLink,
  deletePaymentLink,
  recordPayment,
  reopenPaymentLink,
  updatePaymentLink,
} from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { cancellable, changeable, hasPayer, recordable, reopenable } from "./rules";
import { useCancelling } from "./use-link-actions";

type LinkMenuProps = {
  link: PaymentLink;
  onDelete: (link: PaymentLink) => void;
  onRecord: (link: PaymentLink) => void;
  children?: React.ReactNode;
};

/** What can be done with a link, without what the API would refuse now or to this person. */
export function LinkMenuItems({ link, onDelete, onRecord, children }: LinkMenuProps) {
  const { path } = useScope();
  const { may } = useMembership();
  const { cancel, reopen } = useCancelling();
  const free = changeable(link);
  return (
    <>
      {children}
      {reopenable(link) && may(reopenPaymentLink) ? (
        <MenuItem onSelect={() => reopen(link)} icon={<RotateCcw aria-hidden="true" />}>
          Reopen
        </MenuItem>
      ) : null}
      <MenuLink href={link.payment_url} external icon={<ExternalLink aria-hidden="true" />}>
        Open payment page
      </MenuLink>
      {hasPayer(link) && may(createPaymentLink) ? (
        <MenuLink
          href={path(`/payment-links/new?from=${link._id}`)}
          icon={<Copy aria-hidden="true" />}
        >
          Duplicate
        </MenuLink>
      ) : null}
      {free && may(updatePaymentLink) ? (
        <MenuLink
          href={path(`/payment-links/${link._id}/edit`)}
          icon={<Pencil aria-hidden="true" />}
        >
          Edit
        </MenuLink>
      ) : null}
      {recordable(link) && may(recordPayment) ? (
        <MenuItem onSelect={() => onRecord(link)} icon={<Banknote aria-hidden="true" />}>
          Record a payment…
        </MenuItem>
      ) : null}
      {cancellable(link) && may(cancelPaymentLink) ? (
        <MenuItem onSelect={() => cancel(link)} icon={<Ban aria-hidden="true" />}>
          Cancel link
        </MenuItem>
      ) : null}
      {free && may(deletePaymentLink) ? (
        <>
          <MenuLine />
          <MenuItem
            tone="danger"
            onSelect={() => onDelete(link)}
            icon={<Trash2 aria-hidden="true" />}
          >
            Delete…
          </MenuItem>
        </>
      ) : null}
    </>
  );
}
