/** The SQLSTATE of a failed statement, also within what wraps it; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : sqlStateOf(error.cause);
}

/** The state of a statement that took longer than its limit. */
export const QUERY_CANCELED = "57014";

/** The state of a statement that waited longer than its limit for a lock. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** The state of a statement about a table that is not there, as before the first migration. */
export const UNDEFINED_TABLE = "42P01";

/** Whether one row of a statement was refused (data exception, constraint, a check of a trigger): the other rows alone may be fine. */
export const isRowFault = (error: unknown): boolean =>
  /^(22|23|P0001)/.test(sqlStateOf(error) ?? "");
