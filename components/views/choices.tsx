"use client";

import { Check } from "lucide-react";
import { MenuChecks, MenuGroup, MenuItem, MenuLine } from "@/components/ui/menu";
import { columnName, isChosen, isShown } from "@/components/ui/table-columns";
import { useEndpoint } from "@/lib/client/hooks";
import { useZone } from "@/lib/client/use-zone";
import { filtersOf, rememberRanges, sameView, viewOf, type ViewsProps } from "@/lib/client/views";
import { listSavedViews } from "@/lib/contract/operations";

/** What the menu "View" offers: saved views, saving one, and the columns. */
export function ViewChoices({
  of,
  list,
  columns,
  onAsk,
}: ViewsProps & { onAsk: (what: "save" | "manage") => void }) {
  const zone = useZone();
  const views = useEndpoint(listSavedViews, { query: { list: of } });
  const now = new Date();
  const current = viewOf(list, now, zone);
  const own = columns
    .filter((column) => isShown(column, []))
    .map((column) => columnName(column).id);
  const choosable = columns.filter(isChosen);
  const show = (ids: readonly string[]) => {
    const all = columns
      .filter((column) => !isChosen(column) || ids.includes(columnName(column).id))
      .map((column) => columnName(column).id);
    list.setColumns(all.join() === own.join() ? [] : all);
  };
  return (
    <>
      <MenuGroup label="Saved views">
        {views.data?.map((view) => (
          <MenuItem
            key={view._id}
            onSelect={() => {
              rememberRanges(view, new Date(), zone);
              list.show({
                filters: filtersOf(view, Object.keys(list.values), new Date(), zone),
                sort: view.sort,
                columns: view.columns,
              });
            }}
          >
            <span className="min-w-0 flex-1 truncate" dir="auto" lang="">
              {view.name}
            </span>
            {view.shared ? <span className="text-fine text-muted">Team</span> : null}
            {sameView(view, current) ? <Check aria-label="Shown now" /> : null}
          </MenuItem>
        ))}
        {views.data?.length ? null : (
          <MenuItem disabled onSelect={() => undefined}>
            {views.data ? "None yet" : views.error ? "They did not load" : "Loading…"}
          </MenuItem>
        )}
      </MenuGroup>
      <MenuItem onSelect={() => onAsk("save")}>Save this view…</MenuItem>
      {views.data?.length ? (
        <MenuItem onSelect={() => onAsk("manage")}>Manage views…</MenuItem>
      ) : null}
      <MenuLine />
      <MenuChecks
        label="Columns"
        options={choosable.map((column) => {
          const { id, label } = columnName(column);
          return { value: id, label };
        })}
        values={choosable
          .filter((column) => isShown(column, list.columns))
          .map((column) => columnName(column).id)}
        onChange={show}
      />
    </>
  );
}
