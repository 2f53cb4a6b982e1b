// The plain values of batches, apart from those that every page loads.

/** What a batch does to payment links. `import` has created them; `undo` gives back what another batch changed. */
export const batchActions = ["cancel", "extend", "remind", "send", "import", "undo"] as const;
/** The actions that a caller may start. */
export const startedActions = ["cancel", "extend", "remind"] as const;
export const batchStatuses = ["waiting", "running", "done", "stopped"] as const;
export const batchOutcomes = ["changed", "skipped"] as const;
/** Why a batch left a link as it was. */
export const skipReasons = [
  "paid",
  "processing",
  "payer_at_gateway",
  "of_subscription",
  "cancelled",
  "expired",
  "deleted",
  "mailed_often",
  "due_later",
  "never_expires",
  "expires_later",
  "expiry_passed",
  "unchanged",
  "changed_since",
] as const;
/** Links of one batch at most. Mails wait and can be stopped. The links of a batch are kept so long, for its report and its undo. */
export const batchLimits = {
  links: 50_000,
  ids: 500,
  extendDays: 366,
  mailDelaySeconds: 30,
  keptDays: 30,
} as const;
