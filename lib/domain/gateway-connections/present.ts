import type { GatewayConnection } from "@/lib/contract/gateway-connections";
import { env } from "@/lib/env";
import type { ConnectionRow } from "./rows";

/** A connection with the counts that lists show beside it. */
export type ListedConnection = ConnectionRow & { openAttempts: number; quarantined: number };

/** Where a gateway sends the callbacks of a connection. */
export const callbackUrl = (gateway: string, id: string): string =>
  `${env.BASE_URL}/api/gateways/${gateway}/callback/${id}`;

/** A connection as the API answers it: nothing of its secrets but the last four characters. `active`: the ids of those that take new payments, in their order. */
export const presentConnection =
  (active: readonly string[]) =>
  (row: ListedConnection): GatewayConnection => ({
    _id: row.id,
    gateway: row.gateway,
    mode: row.mode,
    status: row.revokedAt === null ? "active" : "revoked",
    in_use: active.includes(row.id),
    position: active.includes(row.id) ? active.indexOf(row.id) + 1 : null,
    account: row.account,
    account_name: row.accountName,
    last_four: row.lastFour,
    callback_url: callbackUrl(row.gateway, row.id),
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
