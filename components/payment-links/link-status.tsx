"use client";

import { Badge, StatusBadge } from "@/components/ui/badge";
import { Day } from "@/components/ui/time";
import type { PaymentLink } from "@/lib/contract/payment-links";

/** The status of a link, and that it is overdue. */
export const StatusBadges = ({ link }: { link: PaymentLink }) => (
  <span className="inline-flex flex-wrap gap-1.5">
    <StatusBadge status={link.status} />
    {link.overdue ? <Badge tone="bad">Overdue</Badge> : null}
  </span>
);

/** The same, and the day on which a link that can be paid is due. */
export const LinkStatus = ({ link }: { link: PaymentLink }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
    <StatusBadges link={link} />
    {link.due_at && link.status === "Active" ? (
      <span className="text-fine whitespace-nowrap text-muted">
        Due <Day value={link.due_at} />
      </span>
    ) : null}
  </span>
);
