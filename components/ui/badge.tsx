import { cx } from "./cx";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

const tones: Record<Tone, string> = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "text-accent ring-1 ring-accent ring-inset",
  plain: "bg-sunken text-muted ring-1 ring-line ring-inset",
};

/** A short word in a colour; the word alone must say it. */
export function Badge({
  tone = "plain",
  children,
  className,
}: {
  tone?: Tone;
  children: string;
  className?: string;
}) {
  return (
    <span
      className={cx(
        "inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-fine font-medium whitespace-nowrap",
        tones[tone],
        className,
      )}
    >
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {children}
    </span>
  );
}

/** Every status of links, payments, tokens, packages and subscriptions, in words for people. */
const statuses: Record<string, [label: string, tone: Tone]> = {
  Active: ["Open", "accent"],
  Processing: ["Processing", "warn"],
  Paid: ["Paid", "good"],
  Expired: ["Expired", "plain"],
  Cancelled: ["Cancelled", "plain"],
  submitting: ["Submitting", "warn"],
  requires_action: ["At the provider", "warn"],
  pending: ["Pending", "warn"],
  unknown: ["Unknown", "warn"],
  succeeded: ["Succeeded", "good"],
  failed: ["Failed", "bad"],
  cancelled: ["Cancelled", "plain"],
  partially_refunded: ["Partly refunded", "plain"],
  refunded: ["Refunded", "plain"],
  disputed: ["Disputed", "bad"],
  created: ["Created", "accent"],
  active: ["Active", "good"],
  past_due: ["Past due", "warn"],
  halted: ["Halted", "bad"],
  cancel: ["Cancelled", "plain"],
  revoked: ["Revoked", "plain"],
  expired: ["Expired", "plain"],
  queued: ["Queued", "warn"],
  sent: ["Sent", "good"],
  waiting: ["Waiting", "warn"],
  kept: ["Not sent", "plain"],
  delivered: ["Delivered", "good"],
  refused: ["Refused", "bad"],
  stopped: ["Stopped", "plain"],
  running: ["Running", "accent"],
  done: ["Done", "plain"],
  new: ["New", "warn"],
  quarantined: ["Set aside", "bad"],
  unmatched: ["No matching payment", "plain"],
};

/** The word people read for a status of the API. */
export const statusLabel = (status: string): string =>
  statuses[status]?.[0] ?? status.replaceAll("_", " ");

/** The badge of any status the API answers; one it does not know is shown as it came. */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={statuses[status]?.[1] ?? "plain"}>{statusLabel(status)}</Badge>;
}
