import type { Asked } from "@/lib/client/call";
import type { listCustomers } from "@/lib/contract/operations";

export type RowsOf = "payment_link_ids" | "payment_ids";
type Rows = readonly { _id: string }[];

const MAX_ROWS = 100;

/** What is asked for the customers of a page of rows. */
export const customersOf = (of: RowsOf, rows: Rows): Asked<typeof listCustomers> => ({
  query: {
    [of]: rows
      .slice(0, MAX_ROWS)
      .map(({ _id }) => _id)
      .join(","),
    per_page: MAX_ROWS,
  },
});
