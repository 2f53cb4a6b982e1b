import { consume } from "@/lib/domain/limits/limits";
import { conflict, notFound, unverified } from "@/lib/kernel/problem";
import { env } from "@/lib/env";
import { renderTestMail } from "@/lib/mail/templates/account-mails";
import { putAccountMail } from "../accounts/mails";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { findMember } from "../users/membership-rows";

/** Mails the member who calls. Throws 403 while their address is not confirmed, 409 without a mail server, and 429. */
export async function testMail(ctx: Ctx): Promise<{ recipient: string }> {
  return commit(ctx, async (tx) => {
    const member = await findMember(ctx, tx, ctx.actor.id ?? "");
    const business = await findBusiness(ctx.businessId, tx);
    if (!member || !business) throw notFound();
    if (!member.emailVerified) throw unverified();
    if (!env.SMTP_URL) throw conflict("This install has no mail server.");
    await consume("account_mail_business", String(ctx.businessId), 1, tx);
    await consume("account_mail_sender", member.id, 1, tx);
    await putAccountMail(
      tx,
      "account_test",
      member.email,
      renderTestMail({ businessName: business.name }),
      testMailsOf(ctx.businessId),
    );
    return { recipient: member.email };
  });
}

/** What the test mails of a business are about. */
export const testMailsOf = (businessId: number): string => `test:${businessId}`;
