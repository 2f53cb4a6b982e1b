import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import { expect, test, vi } from "vitest";
import { Balance } from "@/lib/contract/ledger";
import { getBalance } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { PaymentLines } from "./payment-lines";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const balance = Balance.parse(Balance.meta()?.examples?.[0]);

test.each<[string, Record<string, string>, RegExp | null]>([
  ["nothing", {}, null],
  ["a currency", { currency: "MYR" }, /in MYR\. Each fee .* payment is in another: <a [^>]*MYR/],
  ["days", { succeeded_to: "2026-11-20" }, /in these days\. .* of another day: <a /],
  [
    "a currency and days",
    { currency: "MYR", succeeded_to: "2026-11-20" },
    /in MYR in these days\. .* of another day or currency: <a [^>]*MYR/,
  ],
])(
  "with %s chosen, the sums above the payments say what they count, and lead to the entries",
  (_chosen, chosen, words) => {
    const page = (
      <NuqsTestingAdapter searchParams={chosen}>
        <PaymentLines />
      </NuqsTestingAdapter>
    );
    const query = {
      currency: chosen.currency,
      created_to: chosen.succeeded_to && "2026-11-20T23:59:59.999999Z",
    };
    const html = drawn(page, [answered(getBalance, { query }, balance)]);
    expect(html).toContain("Balance in MYR");
    if (words) expect(html).toMatch(words);
    else expect(html).not.toContain("see the entries");
  },
);

test("days in which nothing was booked keep their sums, and name what came in them", () => {
  const days = { succeeded_from: "2026-10-01", succeeded_to: "2026-10-31" };
  const query = {
    created_from: "2026-10-01T00:00:00.000Z",
    created_to: "2026-10-31T23:59:59.999999Z",
  };
  const page = (
    <NuqsTestingAdapter searchParams={days}>
      <PaymentLines />
    </NuqsTestingAdapter>
  );
  const html = drawn(page, [
    answered(getBalance, { query: {} }, balance),
    answered(
      getBalance,
      { query },
      { currencies: [], other_days: [{ currency: "MYR", booked: 18_500, paid: 0 }] },
    ),
  ]).replace(/<[^>]+>/g, "");
  expect(html).toMatch(/Payments bookedMYR\s0\.00/);
  expect(html).toMatch(/MYR\s185\.00 came in these days and was booked on other days\./);
});

test("a currency in which nothing was booked in these days keeps its sums beside one in which something was", () => {
  const days = { succeeded_from: "2026-11-28", succeeded_to: "2026-11-28" };
  const query = {
    created_from: "2026-11-28T00:00:00.000Z",
    created_to: "2026-11-28T23:59:59.999999Z",
  };
  const [myr] = balance.currencies;
  if (!myr) throw new Error("the example has no currency");
  const usd = { ...myr, currency: "USD" };
  const page = (
    <NuqsTestingAdapter searchParams={days}>
      <PaymentLines />
    </NuqsTestingAdapter>
  );
  const html = drawn(page, [
    answered(getBalance, { query: {} }, { currencies: [myr, usd], other_days: [] }),
    answered(getBalance, { query }, { currencies: [usd], other_days: [] }),
  ]);
  const cards = [...html.matchAll(/aria-label="(Balance in [A-Z]+)"/g)].map(([, name]) => name);
  expect(cards).toEqual(["Balance in MYR", "Balance in USD"]);
  expect(html.replace(/<[^>]+>/g, "")).toMatch(/Payments bookedMYR\s0\.00/);
});
