/** When a backup was last put in place, ISO 8601 UTC: what happened between it and then is known to gateways alone. */
export const restoredKey = "restored_at";

/** What is left of the search for payments that were made after the backup that was put in place, as JSON; absent when it is done. */
export const paymentSearchKey = "payment_search";

/** A value derived from the active secret, by which a process finds out which of its secrets is active, if any. */
export const secretCheckKey = "secret_check";

/** The secret rotation that has not re-sealed all values yet, as JSON; absent when it is done. */
export const secretRotationKey = "secret_rotation";

/** The oldest version that may still write. Migrations raise it; see `oldest-writer` in CONTRIBUTING. */
export const oldestWriterKey = "oldest_writer";

/**
 * An id of events: those below it may hold a payer's address sealed under the key of another payer. Absent where there are none. A trigger of
 * `processes` moves it on while a process of an older version lives.
 */
export const sealedTogetherKey = "sealed_together_until";

/** When the database was last copied before an offline upgrade, as JSON. */
export const upgradeCopyKey = "upgrade_copy";

/** A random id of the install, which is part of the names of its backups. A copy that comes to life gets another one. */
export const installKey = "install_id";
