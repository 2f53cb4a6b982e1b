import type { AuditEntry } from "@/lib/contract/business";
import { changes, reads } from "@/lib/contract/summaries";

/** What is no call of the API. */
const own: Record<string, string> = {
  signed_in: "Signed in",
  sign_in_failed: "Failed sign-in",
  sign_in_locked: "Sign-in locked after failures",
  plugin_sign_in_locked: "Sign-in of a shop plugin locked after failures",
  second_factor_failed: "Wrong second-factor code",
  second_factor_locked: "Second factor locked after failures",
  reauthenticated: "Confirmed who they are",
  reauthentication_failed: "Failed to confirm who they are",
  two_factor_enabled: "Turned the second factor on",
  // The action before 1.0; entries keep it.
  closePayment: `${changes.resolvePayment ?? "resolvePayment"} (before 1.0)`,
  disableWebhookEndpoint: "Disabled a webhook endpoint that answered 410 Gone",
  password_changed: "Changed their password",
  password_reset: "Chose a new password by mail",
  two_factor_begun: "Began with an authenticator app",
  two_factor_removed: "Turned the second factor off",
  recovery_codes_renewed: "Created new recovery codes",
  passkey_added: "Added a passkey",
  passkey_removed: "Removed a passkey",
  address_confirmed: "Confirmed their address",
  account_reset: "Reset an account with an unconfirmed address",
  second_factor_reset: "Second factor reset, noted in each business of the member",
  joined: "Joined the team",
  signed_up: "Created the business",
  set_up: "Created the business on the first-run page",
  demo: "Created the demo business",
  "key:create": "Created an API key by command",
  "key:revoke": "Revoked an API key by command",
  "gateway:connect": "Connected a payment provider by command",
  "gateway:revoke": "Disconnected a payment provider by command",
  "business:create": "Created the business by command",
  "payer:erase": "Erased a payer by command",
  "user:reset": "Reset a password by command",
};

/** An entry's action in words. */
export const actionWords = (action: string): string =>
  own[action] ?? changes[action] ?? reads[action] ?? action;

/** What entries can be filtered by: every change that staff can make, and what is no call of the API. */
export const actionOptions = [
  ...Object.entries({ ...changes, ...own }).map(([value, label]) => ({ value, label })),
].sort((a, b) => a.label.localeCompare(b.label));

// An entry has the id of what the call answered.
const pages: readonly [actions: RegExp, page: string][] = [
  [/^(create|update|cancel|reopen|send)PaymentLink$/, "/payment-links"],
  [/^(chargeToken|recordPayment|resolvePayment|closePayment)$/, "/payments"],
  [/^(create|update)Customer$/, "/customers"],
  [/^(create|stop|undo)Batch$/, "/payment-links/batches"],
  [/^(create|update)Subscription$/, "/subscriptions"],
  [/^(create|update)Package$/, "/packages"],
  [/^(createToken|revokeTokenization)$/, "/tokens"],
  [/^(create|update|rotate|disable)WebhookEndpoint$/, "/developers/webhooks"],
  [
    /^(create|revoke)Integration$|^renewIntegrationPassword$|^replaceIntegrationKeys$|^plugin_sign_in_locked$/,
    "/settings/shop-plugins",
  ],
  [/^resendMail$/, "/mails"],
];

/** The page of the record that an entry is about; undefined where records of its kind have none, or it deletes the record. */
export function recordOf({ action, object_id: id }: AuditEntry): string | undefined {
  const place = pages.find(([actions]) => actions.test(action))?.[1];
  return place && id && /^[0-9a-f]{24}$/.test(id) ? `${place}/${id}` : undefined;
}

/** Who did it: a person by name, or the operator. */
export const actorWords = ({ kind, name, email }: AuditEntry["actor"]): string =>
  name ??
  email ??
  (kind === "operator" ? "The operator" : kind === "clock" ? "Kutip" : "A deleted person");

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${shown(one)}`)
    .join(", ");
}

/** What the entry says besides: the fields that were sent, a role before and after. Hashes are for the check alone. */
export const detailWords = ({ redacted_hashes: _, ...details }: AuditEntry["details"]): string =>
  Object.entries(details)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${shown(value)}`)
    .join("; ");
