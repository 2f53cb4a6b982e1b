"use client";

import { useMemo } from "react";
import { type Act, type Draft, useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import {
  cancelPaymentLink,
  deletePaymentLink,
  getPaymentLink,
  listPaymentLinks,
  reopenPaymentLink,
} from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";

type Status = PaymentLink["status"];

const withStatus =
  (id: string, status: Status) =>
  ({ change }: Draft) => {
    const put = (link: PaymentLink) =>
      link._id === id ? { ...link, status, overdue: status === "Active" && link.overdue } : link;
    change(listPaymentLinks, (page) => ({ ...page, data: page.data.map(put) }));
    change(getPaymentLink, put);
  };

/** Cancels and reopens a link: shown at once, put back when the API refuses, undone by the notice or Ctrl/Cmd+Z. */
export function useCancelling(): {
  cancel: (link: PaymentLink) => void;
  reopen: (link: PaymentLink) => void;
} {
  const reopening = useAction(reopenPaymentLink, {
    optimistic: (draft, { params }) => withStatus(params.payment_link_id, "Active")(draft),
    onSuccess: ({ title }) => notify({ title: `“${title}” is open again`, tone: "good" }),
  });
  const { run: reopen } = reopening;
  const { run: cancel } = useAction(cancelPaymentLink, {
    optimistic: (draft, { params }) => withStatus(params.payment_link_id, "Cancelled")(draft),
    onSuccess: ({ _id, title, version }) =>
      notify({
        title: `“${title}” cancelled`,
        description: "It can’t be paid until it is reopened.",
        undo: () => reopen({ params: { payment_link_id: _id }, body: { version } }),
      }),
  });
  return useMemo(
    () => ({
      cancel: ({ _id, version }) => cancel({ params: { payment_link_id: _id }, body: { version } }),
      reopen: ({ _id, version }) => reopen({ params: { payment_link_id: _id }, body: { version } }),
    }),
    [cancel, reopen],
  );
}

/** Deletes a link; `onDeleted` runs once it is gone. */
export function useDeleting(onDeleted: () => void): Act<typeof deletePaymentLink> {
  return useAction(deletePaymentLink, {
    onSuccess: ({ title }) => {
      notify({ title: `“${title}” deleted`, tone: "good" });
      onDeleted();
    },
  });
}
