import { setsOneOf } from "@/db/filters";
import type { AuditEntry, AuditQuery } from "@/lib/contract/business";
import type { Page } from "@/lib/contract/envelope";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { countEntries, type ListedAudit, listEntries } from "./rows";

/** An entry as the API returns it. */
export const presentEntry = (row: ListedAudit): AuditEntry => ({
  _id: row.id,
  action: row.action,
  actor: { kind: row.actorKind, id: row.actorId, name: row.actorName, email: row.actorEmail },
  mode: row.mode,
  object_id: row.objectId,
  address: row.address,
  request_id: row.requestId,
  details: JSON.parse(row.details) as Record<string, unknown>,
  created_at: row.createdAt,
});

/** A page of what staff did, of both modes: the log is the business's. */
export async function list(
  ctx: Ctx,
  query: AuditQuery,
  search: URLSearchParams,
): Promise<Page<AuditEntry>> {
  return listPage(ctx, {
    path: "/audit-log",
    search,
    query,
    readsAll: setsOneOf(query, "action", "actor_id"),
    present: presentEntry,
    fetch: (walk) => listEntries(ctx.businessId, query, walk),
    count: () => countEntries(ctx.businessId, query),
  });
}
