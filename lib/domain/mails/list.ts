import type { Page } from "@/lib/contract/envelope";
import type { Mail, MailQuery, MailWithContent } from "@/lib/contract/mails";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { isLinkMail } from "./compose";
import { isLost, shownContentOf } from "./content";
import { presentMail } from "./present";
import { countMails, findMail, listMails } from "./rows";

/** A page of the mails to this business's payers, by either paginator. */
export async function list(
  ctx: Ctx,
  query: MailQuery,
  search: URLSearchParams,
): Promise<Page<Mail>> {
  return listPage(ctx, {
    path: "/mails",
    search,
    query,
    present: presentMail,
    fetch: (walk) => listMails(ctx, query, walk),
    count: () => countMails(ctx, query),
  });
}

/** One mail with its content. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<MailWithContent> {
  const row = await findMail(ctx, id);
  if (!row) throw notFound();
  const mail = presentMail(row);
  const content = await shownContentOf(row);
  const resendable = mail.resendable && (isLinkMail(row.kind) || !isLost(content));
  return { ...mail, ...content, resendable };
}
