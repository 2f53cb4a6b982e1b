import type { Batch, BatchReport } from "@/lib/contract/batches";
import type { batchActions } from "@/lib/contract/batch-values";

type Action = (typeof batchActions)[number];
type Words = { doing: string; done: string; label: string };

/** Which batches are asked for where those under way are shown. */
export const openBatches = { open: true, per_page: 100 } as const;

/** What a batch does, as its progress, its outcome and lists call it. */
const words: Record<Action, Words> = {
  cancel: { doing: "Cancelling", done: "cancelled", label: "Cancel" },
  extend: { doing: "Extending", done: "extended", label: "Extend" },
  remind: { doing: "Reminding the payers of", done: "queued for a reminder", label: "Remind" },
  send: { doing: "Mailing", done: "queued for mailing", label: "Mails of an import" },
  import: { doing: "Importing", done: "imported", label: "Import" },
  undo: { doing: "Undoing the change of", done: "restored", label: "Undo" },
};

export const links = (count: number): string =>
  `${count.toLocaleString("en-GB")} payment link${count === 1 ? "" : "s"}`;

/** What a batch is called in lists and titles: an import by the name of its file. */
export function actionLabel({
  action,
  undo_of,
  file_name: file,
}: Pick<Batch, "action" | "undo_of" | "file_name">): string {
  if (action === "cancel" && undo_of) return "Undo of an import";
  return file ? `${words[action].label} of ${file}` : words[action].label;
}

/** Whether the batch writes a mail for each payment link. */
export const mails = ({ action }: Pick<Batch, "action">): boolean =>
  action === "remind" || action === "send";

/** What it does now, or when it starts. */
export const doing = ({ action, total }: Pick<Batch, "action" | "total">): string =>
  `${words[action].doing} ${links(total)}`;

/** What came of a batch that is over. */
export function outcome({
  action,
  changed,
  total,
  done,
  skipped,
}: Pick<Batch, "action" | "changed" | "total" | "done" | "skipped">): string {
  const parts = [`${links(changed)} ${words[action].done}`];
  if (skipped > 0) parts.push(`${skipped.toLocaleString("en-GB")} skipped`);
  if (done < total) parts.push(`${(total - done).toLocaleString("en-GB")} not reached`);
  return parts.join(", ");
}

type Reason = BatchReport["reasons"][number]["reason"];
const reasonText: Record<Reason, string> = {
  paid: "Already paid",
  processing: "A payment is being processed",
  payer_at_gateway: "A payer is paying now",
  of_subscription: "Belongs to a subscription",
  due_later: "Due after the new expiry",
  never_expires: "Never expires",
  expires_later: "Expires after the new expiry",
  expiry_passed: "The new expiry has passed",
  cancelled: "Cancelled",
  expired: "Expired",
  deleted: "Deleted",
  mailed_often:
    "A reminder is queued or was sent within the hour, or five e-mails were resent within the hour",
  unchanged: "No change needed",
  changed_since: "Changed since",
};

/** Why a batch left a link as it was. */
export const reasonLabel = (action: Batch["action"], reason: Reason): string =>
  action === "send" && reason === "mailed_often" ? "Had an e-mail already" : reasonText[reason];
