const derived = new Set(["updated_at", "amount_decimal", "version", "overdue"]);

/** What the fields that differ held before, for an event of an update; what only follows from other fields is left out. */
export function previousOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = Object.keys(after).filter(
    (name) =>
      !derived.has(name) &&
      JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  return Object.fromEntries(names.map((name) => [name, before[name] ?? null]));
}
