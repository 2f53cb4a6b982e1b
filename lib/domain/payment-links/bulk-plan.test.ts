import { expect, test } from "vitest";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import { type Checked, named, type OnConflict, plan } from "./bulk-plan";
import type { LinkRow } from "./rows";

const input = (values: Partial<PaymentLinkInput>) => ({
  email: "ana@example.com",
  amount: 100,
  currency: "MYR",
  title: "Fees",
  ...values,
});
const link = (id: string, values: Partial<PaymentLinkInput>) =>
  ({ ...input(values), id }) as unknown as LinkRow;
const row = (number: number, values: Partial<PaymentLinkInput>): Checked => ({
  row: number,
  input: input(values) as PaymentLinkInput,
  id: `new-${number}`,
});

/** What is decided about each row. */
const decided = (checked: Checked[], existing: LinkRow[], onConflict: OnConflict) => {
  const { making, report } = plan(checked, existing, onConflict);
  return {
    making: making.map((one) => one.row),
    report: report.map(({ status, payment_link, conflicts_with, earlier_row }) => [
      status,
      payment_link?._id ?? null,
      conflicts_with?._id ?? null,
      earlier_row,
    ]),
  };
};

/** The same by comparing each row with each link and each earlier row. */
function compared(checked: Checked[], existing: LinkRow[], { otherwise, create }: OnConflict) {
  const valid = checked.flatMap((one) => ("input" in one ? [one] : []));
  const isSame = (one: Partial<PaymentLinkInput>, other: Partial<PaymentLinkInput>) =>
    one.amount === other.amount &&
    one.currency === other.currency &&
    one.email?.toLowerCase() === other.email?.toLowerCase();
  const making: typeof valid = [];
  const report = valid.map((one) => {
    const { reference } = one.input;
    const make = (newest: string | null = null, last: number | null = null) => {
      making.push(one);
      return ["valid", null, newest, last];
    };
    if (reference === undefined) return make();
    const there = existing.filter((other) => other.reference === reference);
    const earlier = making.filter((other) => other.input.reference === reference);
    const equal = there.findLast((other) => isSame(other as never, one.input));
    if (equal) return ["exists", equal.id, null, null];
    const equalRow = earlier.find((other) => isSame(other.input, one.input));
    if (equalRow) return ["exists", null, null, equalRow.row];
    const newest = there.at(-1)?.id ?? null;
    const last = newest === null ? (earlier.at(-1)?.row ?? null) : null;
    const isTaken = newest !== null || last !== null;
    return isTaken && otherwise === "skip" && !create.has(one.row)
      ? ["conflict", null, newest, last]
      : make(newest, last);
  });
  return { making: making.map((one) => one.row), report };
}

test("rows are decided as by comparing each with all links and all rows before it", () => {
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % limit;
  };
  const values = (reference: string) => ({
    reference,
    amount: [100, 200][below(2)] ?? 0,
    currency: ["MYR", "USD"][below(2)] ?? "",
    email: ["a@x.example", "A@x.example", "b@x.example"][below(3)] ?? "",
  });
  const many = (limit: number) => Array.from({ length: below(limit) }, (_, at) => at + 1);
  const reference = () => `R${below(3)}`;
  for (let round = 0; round < 2_000; round++) {
    const existing = many(6).map((at) => link(`old-${at}`, values(reference())));
    const checked = many(9).map((at) => {
      const { reference: taken, ...others } = values(reference());
      return row(at, below(8) === 0 ? others : { ...others, reference: taken });
    });
    const choice: OnConflict = {
      otherwise: below(2) === 0 ? "skip" : "create",
      create: new Set([below(9) + 1]),
    };
    expect(decided(checked, existing, choice)).toEqual(compared(checked, existing, choice));
  }
});

test.each(["skip", "create"] as const)(
  "each row and each link is looked at a few times, however many have one reference: %s",
  (otherwise) => {
    let looks = 0;
    const watched = <T extends object>(one: T, email: string): T =>
      Object.defineProperty(one, "email", {
        enumerable: true,
        get: () => {
          looks++;
          return email;
        },
      });
    const count = 1_000;
    const reference = "FEES";
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const existing = numbers.map((at) =>
      watched(link(`old-${at}`, { reference }), `old${at}@x.example`),
    );
    const checked = numbers.map((at) => {
      const one = row(at, { reference });
      if ("input" in one) watched(one.input, `new${at}@x.example`);
      return one;
    });
    plan(checked, existing, { otherwise, create: new Set() });
    expect(looks).toBeLessThan(10 * count);
  },
);

const due = "2026-12-12T15:59:59.999999Z";

test("with compare_details a row with another title or due date is a conflict, and the same bill is never created twice", () => {
  const zoo = (number: number) =>
    ({ ...link(`old-${number}`, { reference: "S1", title: " Zoo " }), dueAt: due }) as LinkRow;
  const rows = [
    row(1, { reference: "S1", title: "zoo", due_at: due }),
    row(2, { reference: "S1", title: "Museum", due_at: due }),
    row(3, { reference: "S1", title: "Zoo", due_at: "2027-01-31T15:59:59.999999Z" }),
    row(4, { reference: "S1", title: "MUSEUM ", due_at: due }),
    row(5, { reference: "S1", title: "Museum", due_at: due, amount: 200 }),
    row(6, { reference: "S2", title: "Zoo" }),
    row(7, { reference: "S2", title: "Museum" }),
    // It says nothing of a due date, as the report of an import.
    row(8, { reference: "S1", title: "Zoo" }),
  ];
  const create = new Set([2, 3, 4, 7]);
  const asked = (more: Partial<OnConflict>, existing = [zoo(1)]) =>
    plan(rows, existing, { otherwise: "skip", create: new Set(), ...more }).report.map(
      ({ status, payment_link, conflicts_with, earlier_row, differs }) =>
        [status, payment_link?._id ?? conflicts_with?._id ?? earlier_row, ...differs] as const,
    );
  expect(asked({})).toEqual([
    ["exists", "old-1"],
    ["exists", "old-1", "title"],
    ["exists", "old-1", "due_at"],
    ["exists", "old-1", "title"],
    ["conflict", "old-1"],
    ["valid", null],
    ["exists", 6, "title"],
    ["exists", "old-1"],
  ]);
  expect(asked({ create })).toEqual(asked({}));
  expect(asked({ compareDetails: true })).toEqual([
    ["exists", "old-1"],
    ["conflict", "old-1", "title"],
    ["conflict", "old-1", "due_at"],
    ["conflict", "old-1", "title"],
    ["conflict", "old-1"],
    ["valid", null],
    ["conflict", 6, "title"],
    ["exists", "old-1"],
  ]);
  const made = asked({ compareDetails: true, create });
  expect(made.slice(0, 4)).toEqual([
    ["exists", "old-1"],
    ["valid", "old-1", "title"],
    ["valid", "old-1", "due_at"],
    ["exists", 2],
  ]);
  expect(made.slice(6)).toEqual([
    ["valid", 6, "title"],
    ["exists", "old-1"],
  ]);
  // A newer link with another title does not hide the same one.
  const museum = { ...zoo(2), title: "Museum" };
  const both = asked({ compareDetails: true, create }, [zoo(1), museum]);
  expect(both.slice(0, 4)).toEqual([
    ["exists", "old-1"],
    ["exists", "old-2"],
    ["valid", "old-1", "due_at"],
    ["exists", "old-2"],
  ]);
});

test("a name that a customer had is never written again: an erasure may have come between", () => {
  const rows = [row(1, { email: "Ana@example.com" }), row(2, {}), row(3, {})];
  const given = ["Puan Ana", "Ana Costa", undefined];
  const checked = rows.map((one, at) =>
    "input" in one && given[at]
      ? { ...one, input: { ...one.input, customer_name: given[at] } }
      : one,
  );
  const planned = plan(checked, [], { otherwise: "skip", create: new Set() });
  const had = new Map([["ana@example.com", "Ana Costa"]]);
  const { names, report } = named(planned, had);
  expect([...names]).toEqual([["ana@example.com", "Puan Ana"]]);
  expect(report.map((one) => one.kept_name)).toEqual(["Ana Costa", null, null]);
});
