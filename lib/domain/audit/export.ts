import type { AuditQuery } from "@/lib/contract/business";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { auditColumns } from "./columns";
import { presentEntry } from "./list";
import { listEntries } from "./rows";

/** Every entry that the filters match, of both modes as in the list, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<AuditQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, auditColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) =>
    listEntries(ctx.businessId, query, walk),
  ))
    yield rows.map((row) => {
      const { actor, details, ...entry } = presentEntry(row);
      return {
        ...entry,
        actor_kind: actor.kind,
        actor_id: actor.id,
        actor_name: actor.name,
        actor_email: actor.email,
        details: JSON.stringify(details),
      };
    });
}
