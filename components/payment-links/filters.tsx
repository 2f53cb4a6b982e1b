"use client";

import { MoreFilters } from "@/components/record/more-filters";
import type { MoneyFilter } from "@/components/record/more-filters-fields";
import { DateRange } from "@/components/ui/date-range";
import { FilterBar, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { statusLabel } from "@/components/ui/badge";
import type { ListState } from "@/lib/client/list-state";
import { linkStatuses } from "@/lib/contract/values";
import type { linkFilters } from "./list-filters";

type Filter = (typeof linkFilters)[number];
type WithOwnControl =
  | MoneyFilter
  | "q"
  | "status"
  | "paid"
  | "open"
  | "mailed"
  | "opened"
  | "tried"
  | "overdue"
  | "created_from"
  | "created_to"
  | "import_id"
  | "integration_id"
  | "test_clock_id";

/** Filters by exactly one text, with their labels. */
const texts: Record<Exclude<Filter, WithOwnControl>, string> = {
  email: "E-mail",
  reference: "Reference",
  reference_2: "Second reference",
};

const chips = [
  { names: ["import_id"], text: "One import" },
  { names: ["integration_id"], text: "One shop plugin" },
  { names: ["test_clock_id"], text: "One test clock" },
];

const yesNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Search and filters of the payment links. */
export function LinkFilters({ list, end }: { list: ListState<Filter>; end: React.ReactNode }) {
  const { values, set } = list;
  return (
    <FilterBar list={list} end={end}>
      <SearchField
        label="Search payment links"
        placeholder="Title, e-mail, reference"
        value={values.q}
        onChange={(q) => set({ q })}
      />
      <FilterSelect
        label="Status"
        value={values.status}
        onChange={(status) => set({ status })}
        options={linkStatuses.map((value) => ({ value, label: statusLabel(value) }))}
      />
      <DateRange
        label="Created"
        from={values.created_from}
        to={values.created_to}
        onChange={({ from, to }) => set({ created_from: from, created_to: to })}
      />
      <MoreFilters
        values={values}
        set={set}
        choices={{
          paid: { label: "Paid", options: yesNo },
          open: { label: "Open", options: yesNo },
          mailed: { label: "Sent by mail", options: yesNo },
          opened: { label: "Payment page opened", options: yesNo },
          tried: { label: "Payment tried", options: yesNo },
          overdue: { label: "Overdue", options: yesNo },
        }}
        texts={texts}
        chips={chips}
      />
    </FilterBar>
  );
}
