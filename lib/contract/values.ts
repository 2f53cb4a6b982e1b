// The plain values of the contract: states, kinds and limits. Without schemas, so that a page may have them without a validator.

export const passwordLength = { min: 12, max: 128 } as const;
/** Test and live records never meet in one response. */
export const modes = ["test", "live"] as const;
export type Mode = (typeof modes)[number];

export const roles = ["owner", "admin", "staff", "viewer"] as const;
export type Role = (typeof roles)[number];
export const signUpModes = ["closed", "invite", "open"] as const;

/** Lists with saved views: filters, order and columns under a name. */
export const savedLists = [
  "payment_links",
  "payments",
  "customers",
  "subscriptions",
  "tokenizations",
  "packages",
  "balance",
  "mails",
  "events",
  "requests",
  "audit_log",
] as const;
/** Views of one person, and of the team, in a business; filters and columns of one view. */
export const savedViewLimits = { views: 100, filters: 30, columns: 30 } as const;

/** The ways to pay that payers choose from. `other`: what only the gateway's own page names. */
export const payMethods = ["fpx", "duitnow_qr", "card", "ewallet", "fpx_b2b1", "other"] as const;
export type PayMethod = (typeof payMethods)[number];
/** How a payer chose to pay on our page. `option`: a bank or wallet by the gateway's own code; null leaves it to the gateway's page. */
export type PayChoice = { method: PayMethod; option: string | null };
/** A bank or wallet. `isAvailable`: false while the gateway says that it cannot be used. */
export type PayOption = { code: string; name: string; isAvailable: boolean };

export const overlapHours = { max: 168, default: 24 } as const;

export const bulkLimits = { rows: 5_000, bytes: 2 * 1024 * 1024 } as const;
/** Of a spreadsheet that is read for a bulk call: some rows more, for titles above the header. */
export const sheetLimits = {
  bytes: 4 * 1024 * 1024,
  rows: bulkLimits.rows + 10,
  columns: 100,
} as const;
export const bulkStatuses = ["created", "exists", "conflict", "invalid", "valid"] as const;
export const bulkConflictChoices = ["skip", "create"] as const;
/** What rows of one bulk call are compared by besides reference, payer, amount and currency, where the caller asks for it. */
export const bulkDetails = ["title", "due_at"] as const;

/** Calls in the request log have one of these. */
export const loggedMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Records that carry a version. */
export const versionedKinds = [
  "payment_link",
  "package",
  "subscription",
  "customer",
  "webhook_endpoint",
  "business",
] as const;

/** Bytes of the file, and pixels of a side. */
export const logoLimits = { maxBytes: 256 * 1024, minSide: 16, maxSide: 2_048 } as const;

export const eventTypes = [
  "payment_link.created",
  "payment_link.updated",
  "payment_link.deleted",
  "payment_link.paid",
  "payment_link.expired",
  "payment_link.cancelled",
  "payment_link.reopened",
  "payment.succeeded",
  "payment.failed",
  "payment.refunded",
  "payment.disputed",
  "payment.flagged",
  "refund.failed",
  "tokenization.created",
  "tokenization.activated",
  "tokenization.updated",
  "tokenization.revoked",
  "tokenization.expired",
  "customer.created",
  "customer.updated",
  "customer.link_moved",
  "package.created",
  "package.updated",
  "package.deleted",
  "subscription.created",
  "subscription.updated",
  "subscription.activated",
  "subscription.past_due",
  "subscription.halted",
  "subscription.cancelled",
  "subscription.deleted",
  "subscription.payment_due",
] as const;

/** The events after which a subscription may have work: outcomes of payments and new saved methods. */
export const subscriptionTriggers = [
  "payment.succeeded",
  "payment.failed",
  "payment_link.paid",
  "tokenization.activated",
] as const satisfies ReadonlyArray<(typeof eventTypes)[number]>;

/** Limits of fields, for schemas, forms and database checks. */
export const limits = {
  amountMin: 500,
  amountMax: 3_000_000,
  title: 50,
  reference: 50,
  phoneNo: 32,
  description: 5_000,
  email: 254,
  url: 2_048,
  packageName: 100,
  customerName: 100,
  note: 500,
  fileName: 255,
  reminders: 6,
  /** Days before or after. */
  reminderDays: 365,
} as const;

/** The first and last day that may be given where days are counted on: whatever is counted from them stays in four digits. */
export const calendar = { first: "1970-01-01", last: "2999-12-31" } as const;

export const callbackStates = ["new", "done", "unmatched", "quarantined"] as const;
/** What a gateway's callback is about; `nothing`: no record that Kutip keeps. */
export const callbackSubjects = ["payment", "refund", "dispute", "method", "nothing"] as const;
/** What a callback says has happened to a dispute: its money was taken, given back, or the dispute is over. */
export const disputeChanges = ["withdrawn", "reinstated", "closed"] as const;

export const ledgerKinds = ["gross", "fee", "refund", "dispute"] as const;
export const ledgerAccounts = [
  "gateway",
  "manual",
  "sales",
  "refunds",
  "disputes",
  "fees",
] as const;
/** The name of `manual` before 1.0: entries keep the name that they were written with, and filters take it until 1.1. */
export const FORMER_MANUAL_ACCOUNT = "by_hand";

export const mailStatuses = ["queued", "waiting", "sent", "kept", "failed", "unknown"] as const;
export const mailKinds = [
  "payment_link",
  "payment_reminder",
  "receipt",
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
  "subscription_receipt",
  "subscription_cancelled",
  "refund",
  "subscription_refund",
  "token_receipt",
  "token_refund",
] as const;

/** Notifications that a member can choose, in live mode. */
export const notificationKinds = ["payments", "failures", "daily"] as const;
export type NotificationKind = (typeof notificationKinds)[number];
export const notificationChannels = ["mail", "chat"] as const;
export type NotificationChannel = (typeof notificationChannels)[number];
/** `dropped`: when it was due, the member no longer wanted it or there was nothing to say. */
export const notificationStatuses = ["queued", "sent", "failed", "dropped"] as const;

export type MailKind = (typeof mailKinds)[number];

export const overviewDays = { default: 30, max: 731 } as const;
/** Why a payment needs a person. */
export const paymentAttention = [
  "payment_failed",
  "payment_unknown",
  "payment_mismatch",
  "payment_duplicate",
  "payment_late",
] as const;
export const attentionKinds = [
  ...paymentAttention,
  "refund_failed",
  "refund_unknown",
  "mail_failed",
  "subscription_past_due",
  "subscription_halted",
  "webhook_failed",
  "webhook_gone",
] as const;
/** What a business does before it takes real money. */
export const goLiveSteps = [
  "gateway",
  "mail",
  "brand",
  "time_zone",
  "live_key",
  "live_payment",
] as const;
export const firstSteps = [
  "link_created",
  "api_key_used",
  "link_paid",
  "pages_branded",
  "colleague_invited",
] as const;

export const frequencies = [
  "daily",
  "weekly",
  "biweekly",
  "monthly",
  "quarterly",
  "half_yearly",
  "yearly",
] as const;
export type Frequency = (typeof frequencies)[number];
export const packageStatuses = ["active", "cancel"] as const;

export const linkStatuses = ["Active", "Processing", "Paid", "Expired", "Cancelled"] as const;
export type LinkStatus = (typeof linkStatuses)[number];

export const paymentStatuses = [
  "submitting",
  "requires_action",
  "pending",
  "unknown",
  "succeeded",
  "failed",
  "cancelled",
  "partially_refunded",
  "refunded",
  "disputed",
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
/** What became of the dispute that decides a payment's status. */
export const disputeStatuses = ["open", "lost", "won"] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];
/** Without an outcome: at most one of these a link, and one a subscription period. */
export const liveStatuses = [
  "submitting",
  "requires_action",
  "pending",
  "unknown",
] as const satisfies readonly PaymentStatus[];
/** How long the outcome of a payment or refund must be unknown before staff may say it. */
export const resolvableAfterHours = 24;
/** Whether the same charge may work later (soft), never with this method (hard), or only with the payer present. */
export const declineKinds = ["soft", "hard", "needs_payer"] as const;

/** What a line of a monthly statement is about. */
export const statementKinds = ["payment", "fee", "refund", "dispute"] as const;

export const manualMethods = ["cash", "bank_transfer", "other"] as const;

/** The outcomes of a request after its response was lost. */
export const requestOutcomes = ["ran", "running", "never_ran"] as const;

export const refundStatuses = ["submitting", "pending", "unknown", "succeeded", "failed"] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const searchKinds = [
  "payment_link",
  "payment",
  "tokenization",
  "subscription",
  "package",
  "customer",
] as const;

/** By what a search found a record. */
export const searchMatches = ["text", "amount", "phone_no"] as const;
/** So many of the newest payment links, and of the newest tokens, are searched for a phone number: no index has it. */
export const recordsReadForPhone = 2_000;

/** Events without live notices: programs create these records on their hot path, and a notice would cost every call. A trigger in the migrations has the same list. */
export const silentTypes = ["payment_link.created", "tokenization.created"] as const;

export const subscriptionStatuses = ["created", "active", "past_due", "halted", "cancel"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const invitationStatuses = ["pending", "accepted", "revoked", "expired"] as const;

export const actorKinds = ["key", "person", "payer", "gateway", "clock", "operator"] as const;
export type ActorKind = (typeof actorKinds)[number];

/** In place of an erased payer's address: a valid one, of a domain that can never exist. */
export const erasedEmail = "erased@payer.invalid";

export const tokenizationStatuses = ["pending", "active", "revoked", "expired"] as const;
export type TokenizationStatus = (typeof tokenizationStatuses)[number];

export const webhookLimits = {
  endpoints: 50,
  description: 200,
  answerBytes: 16_384,
  seconds: 15,
  overlapHours: 24,
  replayed: 100_000,
  keptDays: 60,
} as const;
/** Seconds from a failed attempt to the next one; each up to a tenth longer, so that what failed together does not come back together. */
export const webhookRetrySeconds = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
export const deliveryStatuses = ["pending", "delivered", "failed", "stopped"] as const;

/** The shop plugins that `/api/v1` is made for; `other` is a program of one's own that speaks it. */
export const shopPlugins = [
  "woocommerce",
  "gravity-forms",
  "givewp",
  "opencart",
  "payje-woocommerce",
  "payje-gravity-forms",
  "other",
] as const;
export type ShopPlugin = (typeof shopPlugins)[number];
/** `refused`: the shop received it and did not accept it. `stopped`: its hook or integration ended. */
export const callbackStatuses = ["pending", "delivered", "refused", "failed", "stopped"] as const;
export type CallbackStatus = (typeof callbackStatuses)[number];
export const integrationLimits = {
  name: 100,
  hooks: 10,
  tokenDays: 30,
  attempts: 3,
  integrations: 50,
} as const;

export const workKinds = [
  "charges",
  "payments",
  "refunds",
  "activations",
  "webhooks",
  "mails",
  "expiries",
  "batches",
] as const;

/** The type of the stream's message that the reader's own role in the business has changed. */
export const accessChanged = "access.changed";
