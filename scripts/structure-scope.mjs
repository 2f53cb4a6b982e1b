/** Names that reach records of any business, or make a context for one. */
const UNSCOPED = /^unscoped[A-Z]|^systemCtx$|^mintBusinessId$/;

/** Rooms where the right is proven in another way than by a context. */
const ROOMS = [
  // Statements are put together from statements.
  /(^|\/)([a-z-]+-)?rows\.ts$/,
  // A person's account belongs to no business.
  /^lib\/domain\/(accounts|users|team)\//,
  // Anyone who knows the id of a link or session may see its page.
  /^lib\/payer\//,
  // The install's own work, for every business.
  /^lib\/(jobs|operator|supervisor|worker)\//,
  /^lib\/flows\/[^/]+\/job\.ts$/,
];

/** Single files, by what proves the right. */
export const FILES = {
  "a session or a key": [
    "lib/http/authenticate.ts",
    "lib/http/v1/authenticate.ts",
    "lib/http/session-cookie.ts",
  ],
  "the row that was claimed": [
    "lib/domain/mails/compose.ts",
    "lib/flows/activation/reconcile.ts",
    "lib/flows/expiry/steps.ts",
    "lib/flows/reminders/steps.ts",
    "lib/flows/mailing/steps.ts",
    "lib/flows/notifying/steps.ts",
    "lib/flows/payment-search/steps.ts",
    "lib/flows/renewal/enqueue.ts",
    "lib/flows/renewal/flag.ts",
    "lib/flows/renewal/under-clock.ts",
    "lib/flows/shop-callbacks/steps.ts",
    "lib/flows/webhook-delivery/dispatcher.ts",
    "lib/flows/webhook-delivery/gone.ts",
    "lib/flows/webhook-delivery/recorder.ts",
  ],
  "the gateway's signature": ["lib/flows/callback/steps.ts"],
  "the payer's token": [
    "lib/flows/activation/steps.ts",
    "lib/domain/tokenizations/page.ts",
    "lib/flows/activation/return.ts",
  ],
  "the whole install is meant": [
    "lib/domain/audit/verify.ts",
    "lib/http/health.ts",
    "lib/http/request-log.ts",
  ],
};
const listed = new Set(Object.values(FILES).flat());

/** The names that a module imports and may not, in words. */
export function unscopedImports({ file, imports }) {
  if (listed.has(file) || ROOMS.some((room) => room.test(file))) return [];
  return imports
    .filter(({ target }) => target?.startsWith("lib/"))
    .flatMap(({ names }) => names)
    .filter(({ name }) => UNSCOPED.test(name))
    .map(({ name }) => `imports ${name}, which reaches every business`);
}
