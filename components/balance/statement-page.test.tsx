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
