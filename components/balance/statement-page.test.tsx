import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import { expect, test, vi } from "vitest";
import { getStatement } from "@/lib/contract/operations";
import { Statement } from "@/lib/contract/statements";
import { answered, drawn } from "@/tests/drawn";
import { StatementPage } from "./statement-page";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const statement = Statement.parse(Statement.meta()?.examples?.[0]);

test("a statement names the time zone that its sums are of, also where the business has another one by now", () => {
  const page = (
    <NuqsTestingAdapter searchParams={{ month: statement.month }}>
      <StatementPage />
    </NuqsTestingAdapter>
  );
  const html = drawn(page, [
    answered(getStatement, { params: { month: statement.month } }, statement),
  ]);
  expect(html).toContain("in the time of Kuala Lumpur (GMT+8).");
  expect(drawn(page, [])).not.toContain("in the time of");
});

test("a month says what came in it by hand and was booked in another one", () => {
  const other_days = [{ currency: "MYR", booked: 18_500, paid: 0 }];
  const html = drawn(
    <NuqsTestingAdapter searchParams={{ month: statement.month }}>
      <StatementPage />
    </NuqsTestingAdapter>,
    [
      answered(
        getStatement,
        { params: { month: statement.month } },
        { ...statement, currencies: [], other_days },
      ),
    ],
  ).replace(/<[^>]+>/g, "");
  expect(html).toMatch(/MYR\s185\.00 came in this month and was booked in another month\./);
});

test.each([
  [0, false],
  [2_500, true],
])("of payments with no stated fee a statement says their sum, here %d", (without_fee, said) => {
  const currencies = statement.currencies.map((one) => ({ ...one, without_fee }));
  const html = drawn(
    <NuqsTestingAdapter searchParams={{ month: statement.month }}>
      <StatementPage />
    </NuqsTestingAdapter>,
    [answered(getStatement, { params: { month: statement.month } }, { ...statement, currencies })],
  ).replace(/<[^>]+>/g, "");
  expect(/has stated no fee for MYR\s25\.00 of the payments\./.test(html)).toBe(said);
});
