import type { PgColumn } from "drizzle-orm/pg-core";
import type { Purpose } from "@/lib/kernel/secrets";
import { twoFactors } from "./schema/auth";
import { businesses } from "./schema/businesses";
import { idempotencyKeys } from "./schema/events";
import { gatewayConnections } from "./schema/gateway-connections";
import { integrations } from "./schema/integrations";
import { mails } from "./schema/mails";
import { notificationSettings } from "./schema/notifications";
import { payerKeys } from "./schema/payers";
import { simulatorAccounts } from "./schema/simulator";
import { auditKeys } from "./schema/team";
import { tokenizations } from "./schema/tokenizations";
import { webhookEndpoints } from "./schema/webhooks";

/** A column that holds sealed texts; better-auth seals its own under a key that is derived for it. */
type SealedColumn = { column: PgColumn; purpose: Purpose; sealedBy?: "better-auth" };

/** Every column that is sealed with the install's secret. `kutip secret:rotate` re-seals these and no others. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { column: businesses.signingSecretTest, purpose: "signing_secret" },
  { column: businesses.signingSecretLive, purpose: "signing_secret" },
  { column: gatewayConnections.secret, purpose: "gateway" },
  { column: gatewayConnections.callbackSecret, purpose: "gateway" },
  { column: integrations.apiKey, purpose: "integration" },
  { column: integrations.signatureKey, purpose: "integration" },
  { column: simulatorAccounts.secretSealed, purpose: "gateway" },
  { column: tokenizations.token, purpose: "tokenization" },
  { column: tokenizations.methodId, purpose: "gateway" },
  { column: webhookEndpoints.secret, purpose: "webhook" },
  { column: webhookEndpoints.previousSecret, purpose: "webhook" },
  { column: webhookEndpoints.earlierSecret, purpose: "webhook" },
  { column: notificationSettings.chatUrl, purpose: "chat" },
  { column: twoFactors.secret, purpose: "auth", sealedBy: "better-auth" },
  { column: twoFactors.backupCodes, purpose: "auth", sealedBy: "better-auth" },
  { column: idempotencyKeys.answer, purpose: "idempotency" },
  { column: auditKeys.key, purpose: "audit" },
  { column: payerKeys.key, purpose: "payer" },
  { column: mails.html, purpose: "mail" },
  { column: mails.text, purpose: "mail" },
];
