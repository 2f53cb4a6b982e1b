import { expect, test, vi } from "vitest";
import { listPaymentLinks } from "@/lib/contract/operations";
import { answered, drawn, failed } from "@/tests/drawn";
import { Endless, ExtendForm } from "./extend-form";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const which = { currency: "MYR" };
const input = { query: { ...which, open: "true", has_expiry: "false", page: 1, per_page: 1 } };

test.each([
  ["are 3", answered(listPaymentLinks, input, { data: [], total: 3, last_page: 3 }), "3 open"],
  ["could not be counted", failed(listPaymentLinks, input), "Open"],
  ["are none", answered(listPaymentLinks, input, { data: [], total: 0, last_page: 1 }), null],
])(
  "where the links without an expiry %s, an extension says what it leaves",
  (_state, answer, count) => {
    const html = drawn(
      <ExtendForm which={which} onSubmit={async () => undefined} onClose={() => undefined} />,
      [answer],
    );
    const said = html.match(/[^>]+ payment links (?:that )?never expire[^<]*/g);
    // One for each way to extend.
    expect(said?.length).toBe(count === null ? undefined : 2);
    for (const sentence of said ?? [])
      expect(sentence).toMatch(new RegExp(`^${count} payment links`));
    if (!said) return;
    expect(said[0]).toMatch(/get a later due date, if they have one\.$/);
    expect(said[1]).toMatch(/stay as they are\.$/);
  },
);

test.each([
  [
    1,
    "It gets this expiry too, unless it belongs to a subscription, is being paid or is due later.",
  ],
  [
    5,
    "They get this expiry too, except those that belong to a subscription, are being paid or are due later.",
  ],
  [
    null,
    "never expire get this expiry too, except those that belong to a subscription, are being paid or are due later.",
  ],
])("an extension that shortens %s links too says which of them it leaves", (count, words) => {
  expect(drawn(<Endless count={count} fate="shorten" />, [])).toContain(words);
});

test("an extension says of each way what becomes of due dates", () => {
  const html = drawn(
    <ExtendForm which={which} onSubmit={async () => undefined} onClose={() => undefined} />,
    [answered(listPaymentLinks, input, { data: [], total: 0, last_page: 1 })],
  );
  expect(html).toMatch(/One expiry for all.*Due dates stay\./s);
  expect(html).toMatch(
    /<input[^>]*checked[^>]*name="move_due"|<input[^>]*name="move_due"[^>]*checked/,
  );
  expect(html).toContain("Move due dates too");
});
