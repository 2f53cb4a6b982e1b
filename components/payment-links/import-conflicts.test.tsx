import { expect, test, vi } from "vitest";
import { BulkReport } from "@/lib/contract/bulk";
import { drawn } from "@/tests/drawn";
import { ConflictChoice } from "./import-conflicts";
import { ImportReport } from "./import-report";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = BulkReport.parse(BulkReport.meta()?.examples?.[0]);
const row = example.rows.map((one) => ({
  ...one,
  status: "conflict" as const,
  payment_link: null,
}));
const link = { ...(example.rows[0]?.payment_link as object), title: "Zoo Negara trip" } as never;
const rows = [
  ...row.map((one) => ({ ...one, conflicts_with: link, differs: ["title" as const] })),
  ...row.map((one) => ({ ...one, row: 2, conflicts_with: link })),
  ...row.map((one) => ({ ...one, row: 3, earlier_row: 1, differs: ["due_at" as const] })),
  ...row.map((one) => ({ ...one, row: 4, status: "exists" as const, payment_link: link })),
];
const report = { ...example, dry_run: true, total: 4, rows, conflict: 3, exists: 1 };
const said = (chosen: number[]) => {
  const shared = { report, chosen, disabled: false, onChange: () => undefined };
  const source = (number: number) => ({
    number,
    fields: {},
    noAmount: undefined,
    title: "National Museum trip",
    email: "ana@example.com",
    name: "",
    description: "",
    reference: "S1",
    moments: [],
    written: "",
    amount: "",
  });
  const file = { name: "trip.csv", rows: [2, 3, 4, 5].map(source) };
  const html = drawn(
    <>
      <ConflictChoice {...shared} />
      <ImportReport {...shared} file={file} />
    </>,
    [],
  );
  return html.replace(/<[^>]*>/g, "|").replaceAll(/\|+/g, "|");
};

test("another bill for a payer who has a link like it is named as such, and is chosen apart from other conflicts", () => {
  const text = said([1]);
  expect(text).toContain(
    "This payer has a payment link of the same reference and amount: |Zoo Negara trip|, with another title.",
  );
  expect(text).toContain("Row 2 has the same reference, payer and amount, with another due date.");
  expect(text).toContain("|1 row with a reference that is taken|");
  expect(text).toContain("|2 rows like a payment link that the payer has|");
  expect(text).toContain("|Create them anyway|Skip them|1 row to create, 1 to skip.|");
  expect(text.match(/\|Errors and conflicts only\|/g)).toHaveLength(1);
  expect(text.match(/\|It is this payment link: \|/g)).toHaveLength(1);
});
