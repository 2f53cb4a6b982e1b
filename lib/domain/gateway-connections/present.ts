import type { GatewayCallback, GatewayConnection } from "@/lib/contract/gateway-connections";
import { env } from "@/lib/env";
import type { CallbackRow, ListedConnection } from "./rows";

/** A connection as the API answers it: nothing of its secrets but the last four characters. `inUse`: the id of the one that takes new payments. */
export const presentConnection =
  (inUse: string | undefined) =>
  (row: ListedConnection): GatewayConnection => ({
    _id: row.id,
    gateway: row.gateway,
    mode: row.mode,
    status: row.revokedAt === null ? "active" : "revoked",
    in_use: row.id === inUse,
    account: row.account,
    account_name: row.accountName,
    last_four: row.lastFour,
    callback_url: `${env.BASE_URL}/api/gateways/${row.gateway}/callback/${row.id}`,
    has_webhook_secret: row.callbackSecret !== null,
    last_callback_at: row.lastCallbackAt,
    checked_at: row.checkedAt,
    revoked_at: row.revokedAt,
    open_attempts: row.openAttempts,
    quarantined: row.quarantined,
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  });

export function presentCallback(row: CallbackRow): GatewayCallback {
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
