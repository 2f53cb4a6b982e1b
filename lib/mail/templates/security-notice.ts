import type { Mode } from "@/lib/contract/values";
import { readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type RenderedMail, renderMail } from "./layout";

// By the id of the endpoint, or by the action that the audit log names.
const WORDS: Record<string, string> = {
  createApiKey: "A live API key was created",
  revokeApiKey: "A live API key was revoked",
  rollApiKey: "A live API key was rolled",
  getSigningSecret: "The signing secret was shown",
  rollSigningSecret: "The signing secret was rolled",
  createWebhookEndpoint: "A live webhook endpoint was created",
  updateWebhookEndpoint: "A live webhook endpoint was edited",
  updateNotificationSettings: "A member chose a chat for their notifications",
  rotateWebhookEndpoint: "A webhook secret was rotated",
  webhook_endpoints_disabled: "Webhook endpoints were disabled",
  connectGateway: "A payment provider was connected",
  updateGatewayConnection: "The secrets or the position of a payment provider were changed",
  revokeGatewayConnection: "A payment provider was disconnected",
  createIntegration: "A shop plugin was connected",
  renewIntegrationPassword: "A shop plugin got a new password",
  replaceIntegrationKeys: "The keys of a shop plugin were replaced",
  revokeIntegration: "A shop plugin was revoked",
  changeMember: "A member's role was changed",
  removeMember: "A member was removed",
  resetSecondFactor: "A member's second factor was reset",
  erasePayer: "A payer was erased",
  createInvitation: "An owner or admin was invited",
  copyInvitationLink: "An invitation link was copied",
  passkey_added: "A passkey was added to your account",
  passkey_removed: "A passkey was removed from your account",
  two_factor_enabled: "The second factor of your account was turned on",
  two_factor_removed: "The second factor of your account was turned off",
  recovery_codes_renewed: "Your recovery codes were renewed",
  second_factor_reset: "The second factor of your account was reset",
  operator_reset: "Your password was reset by the operator",
  account_reset: "Your account was reset",
  password_changed: "Your password was changed",
  password_reset: "Your password was changed through an e-mailed link",
};

/** What is to be done after it, also by who expected it. */
const NEXT: Record<string, string> = {
  rollSigningSecret:
    "Programs that check return addresses need the new secret. Settings → Signing secret shows it.",
  webhook_endpoints_disabled:
    "They receive no events until someone enables them under Developers → Webhooks. Events of that time can then be sent again.",
  replaceIntegrationKeys:
    "The shop takes no new payments until its plugin has signed in with a new password and retrieved its new keys. Settings → Shop plugins shows which one it is.",
};

/** Whether there is a notice for this action. */
export const hasNotice = (action: string): boolean => action in WORDS;

export type SecurityNoticeProps = {
  action: string;
  /** Who did it, for notices to owners; null for notices to the person themselves. */
  person: string | null;
  businessName: string | null;
  mode: Mode | null;
  clientAddress: string | null;
  /** ISO 8601 UTC. */
  at: string;
};

/** The mail that tells a person or the owners of a business about a sensitive action. It holds no link to follow. */
export function renderSecurityNotice(notice: SecurityNoticeProps): RenderedMail {
  const what = WORDS[notice.action] ?? "A security setting was changed";
  const next = NEXT[notice.action];
  const facts = [
    { label: "Business", value: notice.businessName },
    { label: "Mode", value: notice.mode },
    { label: "By", value: notice.person },
    { label: "When", value: readableTime(notice.at) },
    { label: "From", value: notice.clientAddress },
  ].flatMap(({ label, value }) => (value === null ? [] : [{ label, value: oneLine(value, 200) }]));
  return renderMail({
    business: null,
    test: false,
    facts,
    subject: what,
    preview: "If this was not expected, act now.",
    heading: what,
    paragraphs: [
      ...(next ? [next] : []),
      `If you expected this, you have nothing ${next ? "else " : ""}to do. If not, change your password, sign out everywhere else, and look at the audit log of your business.`,
    ],
    reason: "You’re receiving this e-mail because it is about your account or a business you own.",
  });
}
