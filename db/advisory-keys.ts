/**
 * The numbers of advisory locks. Each number belongs to one task: two tasks with the same number keep each other out. Older processes hold the
 * first two, so these never change. Other locks have the hash of a text as their key.
 */
export const advisoryKeys = {
  migration: 7_205_460_233,
  /** Held for the whole life of `npm start`. */
  supervisor: 7_205_460_234,
  listCounts: 7_205_460_235,
} as const;
