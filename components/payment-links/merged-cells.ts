import { fieldLabel } from "@/components/record/changes";
import type { Table } from "@/lib/client/read-table";

/** Why a row cannot be read: a cell that is taken is merged with one above, so it is blank here. Repeating an amount would bill it twice. */
export function mergedFault(
  row: number,
  fields: readonly string[],
  merged: Table["merged"] = [],
): string | undefined {
  const of = merged.filter((one) => row > one.first_row && row <= one.last_row);
  const field = fields.find(
    (name, at) =>
      name !== "" && of.some((one) => at + 1 >= one.first_column && at + 1 <= one.last_column),
  );
  if (field === undefined) return undefined;
  const label = fieldLabel(field === "amount_decimal" ? "amount" : field);
  return `Its cell for “${label}” is merged with the one above. Unmerge the cells in your spreadsheet program and fill each of them.`;
}
