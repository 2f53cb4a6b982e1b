import { expect, test } from "vitest";
import { listQuery, listQueryOf } from "./list-query";

const filters = ["q", "status", "created_from"] as const;

test.each([
  [{}, { q: "", status: "", created_from: "" }, {}],
  [
    { q: "kopi", page: "3", per_page: "50", sort: "amount", other: "x" },
    { q: "kopi", status: "", created_from: "" },
    { page: 3, per_page: 50, sort: "amount" },
  ],
  // What the address says twice or wrongly is read as the browser reads it.
  [
    { status: ["Active", "Paid"], page: "x", per_page: "7", sort: "-created_at" },
    { q: "", status: "Active", created_from: "" },
    { page: null, per_page: 7, sort: "-created_at" },
  ],
])(
  "an address makes the same query on the server as in the browser: %j",
  (search, read, paging) => {
    expect(listQueryOf(filters, search)).toEqual(listQuery(read, paging));
  },
);

test("a list asks for its own order where its address names none", () => {
  expect(listQuery({}, {}, "-succeeded_at").sort).toBe("-succeeded_at");
  expect(listQuery({}, { sort: "amount" }, "-succeeded_at").sort).toBe("amount");
});

test("a list by days is left to the browser, which knows the zone", () => {
  expect(listQueryOf(filters, { created_from: "2026-11-01" })).toBeUndefined();
});

test("a page below the first is the first, and other sizes than those offered are the smallest", () => {
  expect(listQuery({}, { page: -2, per_page: 1_000 })).toEqual({
    page: 1,
    per_page: 15,
    sort: undefined,
  });
});
