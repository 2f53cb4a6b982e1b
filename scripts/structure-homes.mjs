/** The folder of each table: every statement on it is in a `rows.ts` or `<topic>-rows.ts` below this folder. */
export const HOMES = {
  accounts: "lib/domain/users",
  apiKeys: "lib/domain/api-keys",
  auditEntries: "lib/domain/audit",
  auditHeads: "lib/domain/audit",
  auditKeys: "lib/domain/audit",
  backupSchedule: "lib/worker",
  batches: "lib/domain/batches",
  batchItems: "lib/domain/batches",
  businesses: "lib/domain/businesses",
  businessLogos: "lib/domain/businesses",
  customers: "lib/domain/customers",
  directory: "db",
  eventQueue: "lib/domain/events",
  events: "lib/domain/events",
  gatewayConnections: "lib/domain/gateway-connections",
  gatewayEvents: "lib/domain/callbacks",
  idempotencyKeys: "lib/domain/idempotency",
  integrationCallbacks: "lib/domain/integrations",
  integrationHooks: "lib/domain/integrations",
  integrations: "lib/domain/integrations",
  integrationTokens: "lib/domain/integrations",
  invitations: "lib/domain/team",
  ledgerEntries: "lib/domain/ledger",
  mails: "lib/domain/mails",
  memberships: "lib/domain/users",
  notifications: "lib/domain/notifications",
  notificationSettings: "lib/domain/notifications",
  packages: "lib/domain/packages",
  passkeys: "lib/domain/users",
  paymentLinks: "lib/domain/payment-links",
  paymentCounts: "db",
  paymentLinkCounts: "db",
  paymentLinkStages: "db",
  paymentSums: "db",
  payerKeys: "lib/domain/payers",
  payments: "lib/domain/payments",
  processes: "db",
  rateLimits: "lib/domain/limits",
  refunds: "lib/domain/payments",
  requestLog: "lib/domain/request-log",
  savedViews: "lib/domain/saved-views",
  sessions: "lib/domain/users",
  settings: "db",
  subscriptionPeriods: "lib/domain/subscriptions",
  subscriptions: "lib/domain/subscriptions",
  testClocks: "lib/domain/test-clocks",
  tokenizations: "lib/domain/tokenizations",
  twoFactors: "lib/domain/users",
  usedCodes: "lib/domain/users",
  users: "lib/domain/users",
  verifications: "lib/domain/users",
  webhookAttempts: "lib/domain/webhooks",
  webhookDeliveries: "lib/domain/webhooks",
  webhookEndpoints: "lib/domain/webhooks",
  workers: "lib/jobs",
};
/** The simulator is an outside party with tables of its own. */
const SIMULATOR = "lib/gateways/simulator";

/** Files with statements that read tables of several homes at once. They may not write there. */
export const JOINS = {
  "lib/domain/actors/rows.ts": ["users", "apiKeys", "integrations"],
  "lib/domain/api-keys/rows.ts": ["users"],
  "lib/domain/audit/rows.ts": ["businesses", "users"],
  "lib/domain/saved-views/rows.ts": ["users"],
  "lib/domain/payments/kind-rows.ts": ["paymentLinks"],
  "lib/domain/payment-links/stage-rows.ts": ["paymentLinkStages"],
  "lib/domain/overview/go-live-rows.ts": [
    "apiKeys",
    "auditEntries",
    "businesses",
    "gatewayConnections",
    "mails",
    "payments",
  ],
  "lib/domain/mails/rows.ts": ["batchItems", "paymentLinks"],
  "lib/domain/notifications/rows.ts": ["businesses", "memberships", "users"],
  "lib/domain/ledger/other-days-rows.ts": ["payments"],
  "lib/domain/statements/rows.ts": [
    "ledgerEntries",
    "paymentLinks",
    "payments",
    "subscriptions",
    "tokenizations",
  ],
  "lib/domain/overview/rows.ts": [
    "apiKeys",
    "memberships",
    "mails",
    "packages",
    "paymentLinkCounts",
    "paymentLinks",
    "paymentLinkStages",
    "payments",
    "paymentSums",
    "refunds",
    "subscriptions",
    "invitations",
    "webhookDeliveries",
    "webhookEndpoints",
  ],
  "lib/domain/payers/erasure-rows.ts": [
    "apiKeys",
    "auditEntries",
    "businesses",
    "customers",
    "events",
    "integrationHooks",
    "integrations",
    "invitations",
    "mails",
    "memberships",
    "paymentLinks",
    "payments",
    "refunds",
    "subscriptions",
    "testClocks",
    "tokenizations",
    "users",
    "webhookEndpoints",
  ],
  "lib/domain/payment-links/default-rows.ts": ["businesses"],
  "lib/domain/payment-links/insert-rows.ts": ["businesses", "events", "payerKeys"],
  "lib/domain/payment-links/payer-rows.ts": ["businesses"],
  "lib/domain/payment-links/reminder-rows.ts": ["businesses"],
  "lib/domain/request-log/rows.ts": ["users", "apiKeys", "integrations"],
  "lib/domain/payments/payer-rows.ts": [
    "ledgerEntries",
    "paymentLinks",
    "subscriptions",
    "tokenizations",
  ],
  "lib/domain/payments/rows.ts": ["tokenizations"],
  "lib/domain/subscriptions/enqueue-rows.ts": ["paymentLinks", "payments", "tokenizations"],
  "lib/domain/subscriptions/follow-rows.ts": ["paymentLinks", "payments"],
  "lib/domain/subscriptions/period-rows.ts": [
    "businesses",
    "gatewayConnections",
    "packages",
    "payments",
    "settings",
    "tokenizations",
  ],
  "lib/domain/subscriptions/rows.ts": ["packages"],
  "lib/domain/team/rows.ts": ["users", "businesses"],
  "lib/domain/users/rows.ts": ["businesses"],
  "lib/domain/webhooks/delivery-rows.ts": ["events"],
  "lib/domain/webhooks/rows.ts": ["events"],
  "lib/domain/zone-rows.ts": ["businesses"],
};

/** Tables that are written away from home, each with its reason. */
export const WRITERS = {
  // A link, its event and the key that seals the event are one statement (docs/decisions/one-statement-writes.md).
  "lib/domain/payment-links/insert-rows.ts": ["events", "payerKeys"],
  // Money that came for a period that was over is flagged in one statement.
  "lib/domain/subscriptions/follow-rows.ts": ["payments"],
};

const isRows = (file) => /(^|\/)([a-z-]+-)?rows\.ts$/.test(file);

/** What a module does with tables that belong elsewhere, in words. */
export function strangeTables(module, modules) {
  if (module.file.startsWith("db/schema/"))
    return module.tables
      .filter((table) => !homeOf(table))
      .map((table) => `the table ${table} has no home: add it to HOMES`);
  const used = module.imports.flatMap(({ names }) => names.map(({ name }) => name));
  const stale = (JOINS[module.file] ?? []).filter((table) => !used.includes(table));
  const wrong = module.imports
    .filter(({ target }) => target?.startsWith("db/schema/"))
    .flatMap(({ target, names }) =>
      names
        .filter(({ name, type }) => !type && modules.get(target).tables.includes(name))
        .flatMap((one) => wrongUse(module, one)),
    );
  return [...wrong, ...stale.map((table) => `no longer joins ${table}: take it out of JOINS`)];
}

const homeOf = (table) => HOMES[table] ?? (table.startsWith("simulator") ? SIMULATOR : undefined);

function wrongUse({ file, written }, { name, local }) {
  const home = homeOf(name);
  if (file.startsWith("db/") || (isRows(file) && file.startsWith(`${home}/`))) return [];
  // A job declares the table that its work is claimed from.
  if (/^lib\/flows\/[^/]+\/job\.ts$/.test(file) && !written.has(local)) return [];
  if (!JOINS[file]?.includes(name)) return [`uses the table ${name} of ${home}`];
  return written.has(local) && !WRITERS[file]?.includes(name)
    ? [`writes the table ${name} of ${home}`]
    : [];
}
