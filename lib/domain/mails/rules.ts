import type { MailKind } from "@/lib/contract/values";
import { conflict, notPayable, type Problem } from "@/lib/kernel/problem";
import { ERASED_EMAIL } from "../payers/rules";
import type { MailWithLink } from "./rows";

/** When a mail of each kind may be sent again. `while_payable`: it asks for money, so only while its link takes it. */
const resending: Record<MailKind, "always" | "while_payable"> = {
  payment_link: "while_payable",
  payment_reminder: "while_payable",
  receipt: "always",
  payment_due: "while_payable",
  payment_overdue: "while_payable",
  payment_failed: "while_payable",
  payment_unconfirmed: "while_payable",
  subscription_halted: "while_payable",
  subscription_receipt: "always",
  subscription_cancelled: "always",
  refund: "always",
  subscription_refund: "always",
  token_receipt: "always",
  token_refund: "always",
};

/** Whether a mail of this kind asks the payer of a link for money. */
export const asksForMoney = (kind: string): boolean =>
  !Object.hasOwn(resending, kind) || resending[kind as MailKind] === "while_payable";

/** Why a mail may not be sent again now; null when it may. */
export function refusalOf({
  kind,
  status,
  payable,
  recipient,
  nextTryAt,
}: Pick<MailWithLink, "kind" | "status" | "payable" | "recipient" | "nextTryAt">): Problem | null {
  if (recipient === ERASED_EMAIL) return conflict("The payer of this mail was erased.");
  if (status === "queued" || status === "waiting" || nextTryAt !== null)
    return conflict("This mail still waits to be sent.");
  return asksForMoney(kind) && !payable ? notPayable() : null;
}
