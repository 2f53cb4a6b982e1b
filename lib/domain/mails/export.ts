import type { MailQuery } from "@/lib/contract/mails";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { mailColumns } from "./columns";
import { presentMail } from "./present";
import { listMails } from "./rows";

/** Every mail that the filters match, without its content, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<MailQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, mailColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listMails(ctx, query, walk)))
    yield rows.map(presentMail);
}
