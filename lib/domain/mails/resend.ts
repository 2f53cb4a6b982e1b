import type { Executor, Tx } from "@/db/client";
import { type Mail, subscriptionMailKinds, tokenMailKinds } from "@/lib/contract/mails";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { newId } from "@/lib/kernel/ids";
import { conflict, notFound, notPayable, Problem } from "@/lib/kernel/problem";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { assertConnected } from "../gateway-connections/connected";
import { commit } from "../idempotency/commit";
import { presentLink } from "../payment-links/present";
import { isPayable, type LinkRow, lockLink } from "../payment-links/rows";
import { assertPayerKept } from "../payment-links/rules";
import { lockSubscription } from "../subscriptions/rows";
import { lockTokenization } from "../tokenizations/rows";
import { isLost, shownContentOf } from "./content";
import { contentOfLink, keysOfPayers } from "./compose";
import { presentMail, resendCause, sendCause } from "./present";
import {
  findMail,
  insertMail,
  insertMails,
  mailedLately,
  type MailRow,
  type NewMail,
  resentWithin,
} from "./rows";
import { asksForMoney, isLinkMail, type LinkMailKind, refusalOf } from "./rules";

type Content = Pick<NewMail, "recipient" | "subject" | "html" | "text">;

const perHour = 5;

/** What a mail of this kind is about, and how that record is locked, also after it was deleted. */
function subjectOf(kind: string) {
  if (subscriptionMailKinds.includes(kind)) return ["subscription", lockSubscription] as const;
  if (tokenMailKinds.includes(kind)) return ["saved method", lockTokenization] as const;
  return ["payment link", lockLink] as const;
}

/** Throws 429 when mails about a record were sent often enough; the record must be locked, so that two at once are counted. */
async function assertSeldom(ctx: Ctx, tx: Tx, objectId: string, noun: string): Promise<void> {
  const { count, seconds } = await resentWithin(ctx, tx, objectId, 3_600);
  if (count >= perHour)
    throw new Problem(
      429,
      "too_many_requests",
      `Mails of one ${noun} are sent again at most ${perHour} times an hour.`,
      { headers: { "retry-after": String(seconds) } },
    );
}

/**
 * Puts a mail into the outbox again: a request to pay a link as the link is now, to its present payer, any other with the same content and
 * recipient. Throws 404; 409 while it waits, when it no longer makes sense, or asks for money that no gateway takes; 429.
 */
export async function resend(ctx: Ctx, id: string): Promise<Mail> {
  return commit(ctx, async (tx) => {
    const found = await findMail(ctx, id, tx);
    const [noun, lock] = subjectOf(found?.kind ?? "");
    if (found?.objectId) await lock(ctx, tx, found.objectId, true);
    // Read again under the lock: what may be sent depends on the record.
    const mail = await findMail(ctx, id, tx);
    if (!mail) throw notFound();
    if (asksForMoney(mail.kind)) await assertConnected(ctx, tx);
    const refusal = refusalOf(mail);
    if (refusal) throw refusal;
    await assertSeldom(ctx, tx, mail.objectId ?? "", noun);
    const again = newId();
    await insertMail(tx, {
      id: again,
      businessId: ctx.businessId,
      mode: ctx.mode,
      kind: mail.kind,
      cause: resendCause(mail.id, ctx.actor),
      objectId: mail.objectId,
      ...(await contentNow(ctx, tx, mail)),
    });
    const row = await findMail(ctx, again, tx);
    if (!row) throw new Error("the mail was not written");
    return presentMail(row);
  });
}

/** What a mail says when it is sent again, of a record that is locked. The link of a request may have another amount or payer by now. */
async function contentNow(ctx: Ctx, tx: Tx, mail: MailRow): Promise<Content> {
  const { kind, objectId, recipient, subject, html, text } = mail;
  if (!isLinkMail(kind)) {
    if (isLost(await shownContentOf(mail, tx)))
      throw conflict("The content of this mail was erased, or cannot be read any more.");
    return { recipient, subject, html, text };
  }
  const link = objectId === null ? undefined : await lockLink(ctx, tx, objectId);
  const business = await findBusiness(ctx.businessId, tx);
  if (!link || !business) throw notPayable();
  assertPayerKept(link);
  const keyOf = await keysOfPayers(tx, ctx.businessId, [link.email]);
  return contentOfLink(link, business, kind, keyOf);
}

/** Mails a link to its payer and changes nothing else. Throws 404, 409 when it takes no money now, 429. */
export async function sendLink(ctx: Ctx, id: string): Promise<PaymentLink> {
  return commit(ctx, async (tx) => {
    const link = await lockLink(ctx, tx, id);
    if (!link) throw notFound();
    if (!(await isPayable(ctx, tx, id))) throw notPayable();
    assertPayerKept(link);
    await assertSeldom(ctx, tx, id, "payment link");
    await sendLinks(ctx, tx, [link], "payment_link");
    return presentLink(link);
  });
}

/** Mails locked links, which must take money, to their payers because a person asked for it. */
export const sendLinks = (
  ctx: Ctx,
  tx: Tx,
  links: readonly LinkRow[],
  kind: LinkMailKind,
): Promise<void> => mailLinks(ctx, tx, links, { kind, causeOf: () => sendCause(ctx.actor) });

/** Mails locked links, which must take money, to their payers. `causeOf`: a text of its own for each mail. The mails are dated as the call counts. */
export async function mailLinks(
  ctx: Ctx,
  tx: Executor,
  links: readonly LinkRow[],
  { kind, causeOf }: { kind: LinkMailKind; causeOf: () => string },
): Promise<void> {
  const business = await findBusiness(ctx.businessId, tx);
  if (!business) throw new Error("links of a business that does not exist");
  const keyOf = await keysOfPayers(
    tx,
    ctx.businessId,
    links.map(({ email }) => email),
  );
  const list = links.map((link) => ({
    id: newId(),
    businessId: ctx.businessId,
    mode: ctx.mode,
    kind,
    cause: causeOf(),
    objectId: link.id,
    ...(ctx.now === undefined ? {} : { createdAt: ctx.now }),
    ...contentOfLink(link, business, kind, keyOf),
  }));
  await insertMails(tx, list);
}

/** The links that were mailed again as often as they may be within an hour, and those with a reminder that waits or went in that time. */
export const mailedOften = (ctx: Ctx, on: Executor, ids: readonly string[]): Promise<Set<string>> =>
  mailedLately(ctx, on, ids, 3_600, perHour);
