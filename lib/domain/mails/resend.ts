import { type Mail, subscriptionMailKinds, tokenMailKinds } from "@/lib/contract/mails";
import { newId } from "@/lib/kernel/ids";
import { conflict, notFound, Problem } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { lockLink } from "../payment-links/rows";
import { lockSubscription } from "../subscriptions/rows";
import { presentMail, resendCause } from "./present";
import { lockTokenization } from "../tokenizations/rows";
import { findMail, insertMail, resentWithin } from "./rows";

const perHour = 5;

/** What a mail of this kind is about, and how that record is locked. */
function subjectOf(kind: string) {
  if (subscriptionMailKinds.includes(kind)) return ["subscription", lockSubscription] as const;
  if (tokenMailKinds.includes(kind)) return ["saved method", lockTokenization] as const;
  return ["payment link", lockLink] as const;
}

/** Puts a mail into the outbox again, same content and recipient. Throws 404; 409 when its link is deleted or it still waits; 429. */
export async function resend(ctx: Ctx, id: string): Promise<Mail> {
  return commit(ctx, async (tx) => {
    const mail = await findMail(ctx, id, tx);
    if (!mail) throw notFound();
    // Under the record's lock, so that two at once are counted one after the other.
    const [subject, lock] = subjectOf(mail.kind);
    const about = mail.objectId ? await lock(ctx, tx, mail.objectId) : undefined;
    if (!about) throw conflict(`The ${subject} of this mail is deleted.`);
    if (mail.status === "queued") throw conflict("This mail still waits to be sent.");
    const { count, seconds } = await resentWithin(ctx, tx, about.id, 3_600);
    if (count >= perHour)
      throw new Problem(
        429,
        "too_many_requests",
        `Mails of one ${subject} are sent again at most ${perHour} times an hour.`,
        { headers: { "retry-after": String(seconds) } },
      );
    const again = newId();
    await insertMail(tx, {
      id: again,
      businessId: ctx.businessId,
      mode: ctx.mode,
      kind: mail.kind,
      cause: resendCause(mail.id, ctx.actor),
      objectId: about.id,
      recipient: mail.recipient,
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
    });
    const row = await findMail(ctx, again, tx);
    if (!row) throw new Error("the mail was not written");
    return presentMail(row);
  });
}
