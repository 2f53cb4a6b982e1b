/** How each field of a record is read as a reference for payers; null for fields that payers read elsewhere or never. */
export type References<Field extends string, Row> = Readonly<
  Record<Field, ((row: Row) => string | null) | null>
>;

/** Reads the references of a record, in their order. */
export function referencesBy<Field extends string, Row>(
  fields: References<Field, Row>,
): (row: Row) => (string | null)[] {
  const readers = Object.values<((row: Row) => string | null) | null>(fields).filter(
    (read) => read !== null,
  );
  return (row) => readers.map((read) => read(row));
}
