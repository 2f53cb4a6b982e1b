import type { skipReasons } from "@/lib/contract/batch-values";
import type { BatchItem, BatchRow } from "@/lib/domain/batches/rows";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import type { LinkRow } from "@/lib/domain/payment-links/rows";

type SkipReason = (typeof skipReasons)[number];
export type Decision =
  | { kind: "skip"; reason: SkipReason }
  | { kind: "change"; event: "cancelled" | "expired" | "reopened" | "updated"; set: Change }
  | { kind: "mail" };
type Change = Partial<Pick<LinkRow, "status" | "expiresAt" | "dueAt">>;

export type Facts = {
  batch: Pick<BatchRow, "action" | "shorten">;
  link:
    | Pick<
        LinkRow,
        | "status"
        | "email"
        | "subscriptionId"
        | "openPaymentId"
        | "expiresAt"
        | "dueAt"
        | "deletedAt"
        | "updatedAt"
        | "version"
      >
    | undefined;
  /** The link follows a test clock that is deleted: Active again, it would never end. */
  clockDeleted: boolean;
  /** What the batch that is given back noted of the link. */
  original?:
    | Pick<
        BatchItem,
        "previousStatus" | "previousExpiresAt" | "previousDueAt" | "linkUpdatedAt" | "postponedAt"
      >
    | undefined;
  /** The link's expiry has passed. */
  over: boolean;
  /** The expiry that an extension gives to this link. */
  newExpiry: string | null;
  /** The due date that it gives; null where that stays as it is. */
  newDue: string | null;
  /** The new expiry has passed. */
  newExpiryPassed: boolean;
  /** Money came that does not pay the link, and the business has it. */
  keptMoney: boolean;
  /** Of a reminder: another one waits or went within the hour, or mails were sent again as often as they may be. Of an import's mail: its payer had one already. */
  mailedOften: boolean;
};

const skip = (reason: SkipReason): Decision => ({ kind: "skip", reason });

/** What a batch does with one of its links. `payer_at_gateway`: it would change or mail the link without the payer. */
export function decide(facts: Facts): Decision {
  const decision = decideWithoutPayer(facts);
  return decision.kind !== "skip" && facts.link?.openPaymentId != null
    ? skip("payer_at_gateway")
    : decision;
}

function decideWithoutPayer({
  batch,
  link,
  clockDeleted,
  original,
  over,
  newExpiry,
  newDue,
  newExpiryPassed,
  keptMoney,
  mailedOften,
}: Facts): Decision {
  if (!link || link.deletedAt !== null) return skip("deleted");
  if (link.status === "Paid") return skip("paid");
  if (link.status === "Processing") return skip("processing");
  const isErased = link.email === ERASED_EMAIL;
  const staysOver = clockDeleted || isErased;
  const mails = batch.action === "remind" || batch.action === "send";
  if (mails) {
    if (link.status === "Cancelled") return skip("cancelled");
    if (link.status === "Expired" || over) return skip("expired");
    if (keptMoney) return skip("paid");
    if (isErased) return skip("unchanged");
    return mailedOften ? skip("mailed_often") : { kind: "mail" };
  }
  if (link.subscriptionId !== null) return skip("of_subscription");
  switch (batch.action) {
    case "cancel":
      return link.status === "Cancelled"
        ? skip("unchanged")
        : { kind: "change", event: "cancelled", set: { status: "Cancelled" } };
    case "extend":
      if (link.status === "Cancelled") return skip("cancelled");
      if (link.status === "Expired" && staysOver) return skip("expired");
      if (newExpiry === null) throw new Error("an extension without a new expiry");
      if (newExpiryPassed) return skip("expiry_passed");
      if (newDue === null && link.dueAt !== null && link.dueAt > newExpiry)
        return skip("due_later");
      if (!batch.shorten) {
        if (link.expiresAt === null && newDue === null) return skip("never_expires");
        if (link.expiresAt !== null && link.expiresAt > newExpiry) return skip("expires_later");
      }
      return extended(link, link.expiresAt === null && !batch.shorten ? null : newExpiry, newDue);
    case "undo": {
      if (!original?.previousStatus || staysOver) return skip("changed_since");
      if ((original.postponedAt ?? original.linkUpdatedAt) !== link.updatedAt)
        return skip("changed_since");
      const set = {
        status: original.previousStatus,
        expiresAt: original.previousExpiresAt,
        ...(original.previousDueAt === null ? {} : { dueAt: original.previousDueAt }),
      };
      if (set.status === "Expired") return { kind: "change", event: "expired", set };
      return { kind: "change", event: link.status === "Cancelled" ? "reopened" : "updated", set };
    }
    default:
      throw new Error(`a batch that ${batch.action}s has no links to work`);
  }
}

/** Around a change of the clock the later of two moments may become the earlier one: a due date is never after the expiry. */
function extended(
  link: Pick<LinkRow, "status" | "expiresAt" | "dueAt">,
  expiresAt: string | null,
  newDue: string | null,
): Decision {
  const dueAt = newDue !== null && expiresAt !== null && newDue > expiresAt ? expiresAt : newDue;
  return link.expiresAt === expiresAt &&
    (dueAt ?? link.dueAt) === link.dueAt &&
    link.status === "Active"
    ? skip("unchanged")
    : {
        kind: "change",
        event: "updated",
        set: { status: "Active", expiresAt, ...(dueAt === null ? {} : { dueAt }) },
      };
}
