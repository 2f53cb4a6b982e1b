import type { GatewayCallback } from "@/lib/contract/gateway-connections";
import type { ListedCallback } from "./rows";

/** A callback as the API returns it. */
export function presentCallback(row: ListedCallback): GatewayCallback {
  return {
    _id: row.eventId,
    type: row.type,
    status: row.state,
    reference: row.reference || null,
    ...row.money,
    problem: row.problem,
    created_at: row.createdAt,
  };
}
