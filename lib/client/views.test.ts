import fc from "fast-check";
import { expect, test } from "vitest";
import { newestFirst } from "./list-query";
import { presets, rememberDays, rememberName } from "./ranges";
import { addressOf, filtersOf, rememberRanges, sameView, viewOf } from "./views";

const names = ["status", "q", "created_from", "created_to", "paid_from", "paid_to"];
const empty = Object.fromEntries(names.map((name) => [name, ""]));
const zone = "Asia/Kuala_Lumpur";

const someFilters = fc.record(
  Object.fromEntries(
    names.map((name) => [
      name,
      name.endsWith("_from") || name.endsWith("_to")
        ? fc.constantFrom("", "2026-01-05", "2026-02-28")
        : fc.string({ maxLength: 20 }),
    ]),
  ),
);

test("a saved view gives back the filters, order and columns that it was made of", () => {
  fc.assert(
    fc.property(
      someFilters,
      fc.constantFrom("-created_at", "amount"),
      fc.constantFrom("-created_at", "-succeeded_at"),
      fc.subarray(["title", "email", "amount"]),
      (values, sort, ownSort, columns) => {
        const now = new Date("2026-11-20T15:00:00Z");
        const view = viewOf({ values, sort, ownSort, columns }, now, zone);
        const given = Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== ""),
        );
        expect(filtersOf(view, names, now, zone)).toEqual(given);
        expect(view.sort ?? ownSort).toBe(sort);
        expect(view.columns ?? []).toEqual(columns);
        expect(sameView(view, viewOf({ values, sort, ownSort, columns }, now, zone))).toBe(true);
      },
    ),
  );
});

test("the address of a view holds its filters, order and columns, counted from the day of use", () => {
  const address = addressOf(
    {
      list: "tokenizations",
      filters: { status: "Active", created_from: "@Today", created_to: "@Today" },
      sort: "email",
      columns: ["email", "status"],
    },
    new Date("2026-11-20T16:00:00Z"),
    zone,
  );
  expect(address).toBe(
    "/tokens?status=Active&created_from=2026-11-21&created_to=2026-11-21&sort=email&columns=email%2Cstatus",
  );
});

test("a range with a name is counted from the day on which the view is used", () => {
  const saved = new Date("2026-03-10T15:59:00Z");
  const used = new Date("2026-11-20T16:00:00Z");
  for (const [index, preset] of presets(saved, zone).entries()) {
    const values = { ...empty, created_from: preset.from, created_to: preset.to };
    const view = viewOf(
      { values, sort: newestFirst, ownSort: newestFirst, columns: [] },
      saved,
      zone,
    );
    const later = presets(used, zone)[index];
    expect(filtersOf(view, names, used, zone), preset.label).toEqual({
      created_from: later?.from,
      created_to: later?.to,
    });
  }
});

const kept = (now: Date, from: string, to: string) =>
  viewOf(
    {
      values: { ...empty, created_from: from, created_to: to },
      sort: newestFirst,
      ownSort: newestFirst,
      columns: [],
    },
    now,
    zone,
  ).filters;

test.each([
  ["2026-05-01", "Today"],
  ["2026-05-07", "Last 7 days"],
  ["2026-06-30", "Last 30 days"],
])(
  "on %s, when %s is this month, a view keeps the range by the name that was chosen",
  (day, other) => {
    const now = new Date(`${day}T04:00:00Z`);
    const first = `${day.slice(0, 8)}01`;
    const named = (name: string) => ({ created_from: `@${name}`, created_to: `@${name}` });
    const choose = (name: string) => {
      const preset = presets(now, zone).find(({ label }) => label === name);
      if (preset) rememberName(preset);
    };
    expect(kept(now, first, day)).toEqual(named("This month"));
    choose(other);
    expect(kept(now, first, day)).toEqual(named(other));
    choose("This month");
    expect(kept(now, first, day)).toEqual(named("This month"));
    rememberRanges({ filters: named(other) }, now, zone);
    expect(kept(now, first, day)).toEqual(named(other));
  },
);

test("days that were chosen by hand stay those days, until their name is chosen", () => {
  const now = new Date("2026-07-15T04:00:00Z");
  const days = { created_from: "2026-07-09", created_to: "2026-07-15" };
  const named = { created_from: "@Last 7 days", created_to: "@Last 7 days" };
  const shown = () => kept(now, days.created_from, days.created_to);
  expect(shown()).toEqual(named);
  rememberDays({ from: days.created_from, to: days.created_to });
  expect(shown()).toEqual(days);
  rememberRanges({ filters: named }, now, zone);
  expect(shown()).toEqual(named);
  rememberRanges({ filters: days }, now, zone);
  expect(shown()).toEqual(days);
});

test("a filter that the list does not have is left out, also one named like a property of objects", () => {
  const filters = { status: "Paid", gone: "x", constructor: "y" };
  expect(filtersOf({ filters }, ["status", "toString"], new Date(), zone)).toEqual({
    status: "Paid",
  });
});
