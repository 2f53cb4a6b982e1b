import { createColumnHelper, rowSortingFeature, tableFeatures } from "@tanstack/react-table";

export type Meta = {
  /** Numbers stand at the end of their column. */
  align?: "end";
  /** Its place on a phone's card: the first line, beside it, in the list below (as is), or not at all. */
  card?: "title" | "aside" | "none";
  /** The title's cell has the `Lead` in it, beside links of its own. */
  ownLead?: true;
  /** Shown only where it is chosen. */
  optional?: true;
};

export const features = tableFeatures({ rowSortingFeature, columnMeta: {} as Meta });
export type Features = typeof features;
export type RowData = { _id: string | number };
export type Columns<R extends RowData> = readonly ReturnType<
  ReturnType<typeof columnsOf<R>>["columns"]
>[number][];

/** Makes columns of a row type: `columnsOf<PaymentLink>()`, at module level. Only columns with `enableSorting: true` sort, by their id. */
export const columnsOf = <R extends RowData>() => createColumnHelper<Features, R>();

export const meta = (cell: { column: { columnDef: { meta?: Meta } } }): Meta =>
  cell.column.columnDef.meta ?? {};

/** Whether a cell leads to the record of its row as a whole. */
export const isLead = (cell: Parameters<typeof meta>[0]): boolean =>
  meta(cell).card === "title" && meta(cell).ownLead === undefined;

type ColumnLike = { id?: string; accessorKey?: unknown; header?: unknown; meta?: Meta };

/** A column's id and its name in words. */
export function columnName(column: unknown): { id: string; label: string } {
  const { id, accessorKey, header } = column as ColumnLike;
  const name = id ?? String(accessorKey);
  return { id: name, label: typeof header === "string" ? header : name };
}

/** Whether a column is shown: always the title, else what is chosen, and without a choice all that are not optional. */
export function isShown(column: unknown, chosen: readonly string[]): boolean {
  const { meta } = column as ColumnLike;
  if (meta?.card === "title") return true;
  return chosen.length > 0 ? chosen.includes(columnName(column).id) : meta?.optional !== true;
}

/** Whether people may choose to hide it. */
export const isChosen = (column: unknown): boolean => (column as ColumnLike).meta?.card !== "title";
