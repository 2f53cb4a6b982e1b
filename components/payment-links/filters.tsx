"use client";

import { X } from "lucide-react";
import { MoreFilters } from "@/components/record/more-filters";
import type { MoneyFilter } from "@/components/record/more-filters-fields";
import { DateRange } from "@/components/ui/date-range";
import { Button } from "@/components/ui/button";
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
  reference: "Reference",
  reference_2: "Second reference",
};

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
        placeholder="Title, e-mail, reference or id"
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
      {values.import_id ? (
        <RemoveFilter text="One import" onRemove={() => set({ import_id: "" })} />
      ) : null}
      {values.integration_id ? (
        <RemoveFilter text="One shop plugin" onRemove={() => set({ integration_id: "" })} />
      ) : null}
      {values.test_clock_id ? (
        <RemoveFilter text="One test clock" onRemove={() => set({ test_clock_id: "" })} />
      ) : null}
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
      />
    </FilterBar>
  );
}

const RemoveFilter = ({ text, onRemove }: { text: string; onRemove: () => void }) => (
  <Button size="small" aria-label={`Remove filter ${text}`} onClick={onRemove}>
    {text}
    <X aria-hidden="true" className="size-3.5 text-muted" />
  </Button>
);
