import { expect, test, vi } from "vitest";
import type { Page } from "@/lib/contract/envelope";
import { drawn } from "@/tests/drawn";
import { DataTable } from "./data-table";
import type { Columns, RowData } from "./table-columns";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const columns: Columns<RowData> = [];
const list = {
  page: 1,
  setPage: () => undefined,
  perPage: 15,
  setPerPage: () => undefined,
  sort: "-created_at",
  setSort: () => undefined,
  columns: [],
  filtered: false,
  clear: () => undefined,
  reset: () => undefined,
};

const text = (change: Partial<typeof list>, total: number) =>
  drawn(
    <DataTable
      label="Links"
      columns={columns}
      answer={{
        data: { data: [], total } as unknown as Page<RowData>,
        error: null,
        isPending: false,
        refetch: () => undefined,
      }}
      list={{ ...list, ...change }}
      empty={<p>Nothing yet</p>}
    />,
    [],
  );

test.each([
  [{}, 0, "Nothing yet"],
  [{ filtered: true }, 0, "No results"],
  [{ page: 2, filtered: true }, 0, "No results"],
  [{ page: 2, filtered: true }, 15, "This page is empty"],
  [{ page: 2 }, 15, "This page is empty"],
] as const)("a list without rows on %j of %d says %s", (change, total, words) => {
  expect(text(change, total)).toContain(words);
});
