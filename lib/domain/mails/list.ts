import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import type { Mail, MailQuery, MailWithContent } from "@/lib/contract/mails";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { isLost, lostAmong, shownContentOf } from "./content";
import { presentMail } from "./present";
import { countMails, findMail, listMails, type MailWithLink } from "./rows";
import { isLinkMail, refusalOf } from "./rules";

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
    readsAll: setsOneOf(query, "status", "kind"),
    present: presentMail,
    fetch: async (walk) => withLost(await listMails(ctx, query, walk)),
    count: () => countMails(ctx, query),
  });
}

/** One mail with its content. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<MailWithContent> {
  const row = await findMail(ctx, id);
  if (!row) throw notFound();
  const content = await shownContentOf(row);
  const mail = presentMail({ ...row, isLost: !isLinkMail(row.kind) && isLost(content) });
  return { ...mail, ...content };
}

/** Only content that would be sent again as it is needs a look. */
async function withLost(rows: readonly MailWithLink[]) {
  const asItIs = rows.filter((row) => !isLinkMail(row.kind) && refusalOf(row) === null);
  const lost = await lostAmong(asItIs);
  return rows.map((row) => ({ ...row, isLost: lost.has(row.id) }));
}
