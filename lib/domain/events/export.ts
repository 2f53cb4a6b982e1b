import type { EventQuery } from "@/lib/contract/events";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { eventColumns } from "./columns";
import { presentEvent } from "./present";
import { listEvents } from "./rows";

/** Every event that the filters match, with what most objects have, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<EventQuery, "page" | "per_page" | "cursor" | "after">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, eventColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listEvents(ctx, query, walk)))
    yield rows.map((row) => {
      const { data, ...event } = presentEvent(row);
      const { _id: object_id, status, title, name, reference, email } = data;
      const { amount_decimal, currency } = data;
      const object = { object_id, status, title, name, reference, email, amount_decimal, currency };
      return { ...event, ...object };
    });
}
