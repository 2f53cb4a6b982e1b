import type { SavedView } from "@/lib/contract/saved-views";
import type { ListState } from "./list-state";
import { isDay, presetOf, presets, rememberDays, rememberName } from "./ranges";

/** What a list shows: its filters as a saved view has them, its order and its columns; null for the list's own. */
export type View = Pick<SavedView, "filters" | "sort" | "columns">;

/** A list with saved views, and its columns. */
export type ViewsProps = {
  of: SavedView["list"];
  list: Pick<ListState<string>, "values" | "sort" | "ownSort" | "columns" | "setColumns" | "show">;
  columns: readonly unknown[];
};

type Shown = Pick<ListState<string>, "values" | "sort" | "ownSort" | "columns">;

/** A range that people ask for is kept by its name, so that "Last 30 days" stays the last 30 days. */
export function viewOf(
  { values, sort, ownSort, columns }: Shown,
  now: Date,
  timeZone: string,
): View {
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === "") continue;
    const [, range] = bound.exec(name) ?? [];
    const preset =
      range === undefined
        ? undefined
        : presetOf(
            { from: values[`${range}_from`] ?? "", to: values[`${range}_to`] ?? "" },
            now,
            timeZone,
          );
    filters[name] = preset ? `@${preset.label}` : value;
  }
  return {
    filters,
    sort: sort === ownSort ? null : sort,
    columns: columns.length > 0 ? [...columns] : null,
  };
}

const bound = /^(.+)_(from|to)$/;

/** Remembers the names of a view's ranges, and its own days, when it is chosen, so that saving it again keeps them. */
export function rememberRanges({ filters }: Pick<View, "filters">, now: Date, zone: string): void {
  for (const [name, from] of Object.entries(filters)) {
    const [, range, end] = bound.exec(name) ?? [];
    const to = end === "from" ? filters[`${range}_to`] : undefined;
    if (to !== undefined && isDay(from) && isDay(to)) rememberDays({ from, to });
  }
  for (const preset of presets(now, zone))
    if (Object.values(filters).includes(`@${preset.label}`)) rememberName(preset);
}

/** The filters of a view as a list's address has them. A filter that the list does not have any more is left out. */
export function filtersOf(
  view: Pick<View, "filters">,
  names: readonly string[],
  now: Date,
  timeZone: string,
): Record<string, string> {
  const known = presets(now, timeZone);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(view.filters, name) ? view.filters[name] : undefined;
      if (value === undefined) return [];
      const [, , end] = bound.exec(name) ?? [];
      const preset = end && known.find(({ label }) => `@${label}` === value);
      return [[name, preset ? preset[end as "from" | "to"] : value]];
    }),
  );
}

/** Each list with saved views: its name, and where it is in the dashboard, below business and mode. */
const lists: Readonly<Record<SavedView["list"], { name: string; path: string }>> = {
  payment_links: { name: "Payment links", path: "/payment-links" },
  payments: { name: "Payments", path: "/payments" },
  customers: { name: "Customers", path: "/customers" },
  subscriptions: { name: "Subscriptions", path: "/subscriptions" },
  tokenizations: { name: "Tokens", path: "/tokens" },
  packages: { name: "Packages", path: "/packages" },
  balance: { name: "Balance", path: "/balance" },
  mails: { name: "Mails", path: "/mails" },
  events: { name: "Events", path: "/developers/events" },
  requests: { name: "Request log", path: "/developers/requests" },
  audit_log: { name: "Audit log", path: "/settings/audit-log" },
};

/** What the list of a view is called. */
export const listName = ({ list }: Pick<SavedView, "list">): string => lists[list].name;

/** Where a view is shown, below business and mode: its list with filters, order and columns in the address. */
export function addressOf(view: View & Pick<SavedView, "list">, now: Date, zone: string): string {
  const query = new URLSearchParams(filtersOf(view, Object.keys(view.filters), now, zone));
  if (view.sort) query.set("sort", view.sort);
  if (view.columns) query.set("columns", view.columns.join(","));
  return `${lists[view.list].path}?${query}`;
}

/** Whether two views show the same. */
export const sameView = (a: View, b: View): boolean => words(a) === words(b);

const words = ({ filters, sort, columns }: View) =>
  JSON.stringify([
    Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
    sort,
    columns && [...columns].sort(),
  ]);
