import { remindersText } from "@/lib/contract/reminder-text";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { linkColumns } from "./columns";
import { presentLink } from "./present";
import { listLinks } from "./list-rows";

/** Every link that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<PaymentLinkQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, linkColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listLinks(ctx, query, walk)))
    yield rows.map((row) => ({
      ...presentLink(row),
      reminders: row.reminders && remindersText(row.reminders),
      default_reminders: remindersText(row.defaultInEffect),
    }));
}
