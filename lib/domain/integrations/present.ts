import type {
  Integration,
  IntegrationCallback,
  MemberIntegration,
} from "@/lib/contract/integrations";
import type { ListedCallback } from "./callback-rows";
import type { HookRow } from "./hook-rows";
import type { IntegrationRow } from "./rows";

/** A callback as the dashboard gets it. */
export const presentCallback = (row: ListedCallback): IntegrationCallback => ({
  _id: row.id,
  url: row.url,
  payment_link_id: row.paymentLinkId,
  payment_id: row.paymentId,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.nextTryAt,
  body: row.body,
  history: row.history.map(({ at, statusCode, error, response, durationMs }) => ({
    status_code: statusCode,
    error,
    response,
    duration_ms: durationMs,
    created_at: at,
  })),
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** An integration as the dashboard gets it, without its secrets. */
export const presentIntegration = (
  row: IntegrationRow,
  hooks: readonly HookRow[],
  lastCallback: ListedCallback | undefined,
  names: ReadonlyMap<string, string>,
): Integration => ({
  _id: row.id,
  name: row.name,
  plugin: row.plugin,
  mode: row.mode,
  number: row.number,
  hooks: hooks.map(({ id, url, enabled, createdAt }) => ({
    _id: id,
    url,
    enabled,
    created_at: createdAt,
  })),
  last_callback: lastCallback ? presentCallback(lastCallback) : null,
  password_shown_to: row.passwordShownTo.flatMap((id) => names.get(id) ?? []),
  keys_replaced_at: row.keysReplacedAt,
  keys_read_at: row.keysReadAt,
  last_seen_at: row.lastSeenAt,
  revoked_at: row.revokedAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** An integration in the list of those of which a member was shown a password. */
export const presentMemberIntegration = ({
  id,
  name,
  plugin,
  mode,
}: IntegrationRow): MemberIntegration => ({ _id: id, name, plugin, mode });
