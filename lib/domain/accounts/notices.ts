import type { Executor } from "@/db/client";
import { take } from "@/lib/domain/limits/limits";
import {
  renderSecurityNotice,
  type SecurityNoticeProps,
} from "@/lib/mail/templates/security-notice";
import { putAccountMail } from "./mails";

/**
 * Mails a person that something sensitive was done. Each kind of notice has a limit of its own for a recipient, so that a flood of
 * one kind never hides another.
 */
export async function securityNotice(
  on: Executor,
  { recipient, ...notice }: Omit<SecurityNoticeProps, "at"> & { recipient: string },
): Promise<void> {
  const { allowed } = await take("security_notice", `${recipient}:${notice.action}`, 1, on);
  if (!allowed) return;
  const mail = renderSecurityNotice({ ...notice, at: new Date().toISOString() });
  await putAccountMail(on, "account_notice", recipient, mail);
}
