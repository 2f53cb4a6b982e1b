import type { MailKind } from "@/lib/contract/values";
import { conflict, notPayable, type Problem } from "@/lib/kernel/problem";
import { ERASED_EMAIL, normalAddress } from "../payers/rules";
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

/** Whether a mail of this kind says that a charge of the saved method failed, or may have. */
export const isAboutFailure = (kind: string): boolean =>
  kind === "payment_failed" || kind === "payment_unconfirmed" || kind === "subscription_halted";

/** The kinds of mail that ask the payer of a link to pay. They are written anew when they are sent again. */
export type LinkMailKind = "payment_link" | "payment_reminder";

export const isLinkMail = (kind: string): kind is LinkMailKind =>
  kind === "payment_link" || kind === "payment_reminder";

/** Why a mail may not be sent again now, whatever it says; null when it may. */
export function refusalOf({
  kind,
  status,
  payable,
  linkEmail,
  recipient,
  nextTryAt,
}: Pick<
  MailWithLink,
  "kind" | "status" | "payable" | "linkEmail" | "recipient" | "nextTryAt"
>): Problem | null {
  if (recipient === ERASED_EMAIL) return conflict("The payer of this mail was erased.");
  if (status === "queued" || status === "waiting" || nextTryAt !== null)
    return conflict("This mail still waits to be sent.");
  if (!asksForMoney(kind)) return null;
  if (!payable) return notPayable();
  return isLinkMail(kind) || normalAddress(linkEmail ?? "") === normalAddress(recipient)
    ? null
    : conflict("The payment link has another payer now. Send the link itself.");
}
