import { createColumnHelper, rowSortingFeature, tableFeatures } from "@tanstack/react-table";

export type Meta = {
  /** Numbers stand at the end of their column. */
  align?: "end";
  /** Its place on a phone's card: the first line, beside it, in the list below (as is), or not at all. */
  card?: "title" | "aside" | "none";
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
