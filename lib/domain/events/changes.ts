const derived = new Set([
  ...["updated_at", "amount_decimal", "version", "overdue"],
  // They change with the settings.
  "default_reminders",
]);

/** The previous values of the changed fields, for an update event. Derived fields are left out. */
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
