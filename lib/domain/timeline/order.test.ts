import fc from "fast-check";
import { expect, test } from "vitest";
import { newestFirst, type Ordered } from "./order";

const none = { event_id: null, payment_id: null };
const event = (ms: number, kind: string, seq: number, payment: string | null = null): Ordered => ({
  ...none,
  at: new Date(Date.parse("2026-11-20T13:34:10Z") + ms).toISOString(),
  kind,
  seq,
  event_id: `event ${seq}`,
  payment_id: payment,
});
const other = (ms: number, kind: string, more: Partial<Ordered> = {}): Ordered => ({
  ...none,
  at: new Date(Date.parse("2026-11-20T13:34:10Z") + ms).toISOString(),
  kind,
  ...more,
});

/** A quick payer: the opening is written after the payment, and what one transaction writes has one moment. */
const quick = [
  event(0, "payment_link.created", 7),
  other(0, "mail.queued", { cause: "event 7" }),
  other(1_900, "opened"),
  other(400, "attempt.begun", { payment_id: "p1" }),
  event(700, "payment.failed", 8, "p1"),
  other(900, "attempt.begun", { payment_id: "p2" }),
  event(1_200, "payment.succeeded", 9, "p2"),
  event(1_200, "payment_link.paid", 10),
  other(1_200, "mail.sent", { cause: "event 9" }),
];
const shown = [...quick].reverse().map(({ kind }) => kind);

test("what happens within seconds is shown in the order of cause and effect, however it is read", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(quick, { minLength: quick.length }), (entries) => {
      expect(newestFirst(entries).map(({ kind }) => kind)).toEqual(shown);
    }),
  );
});

test("events whose transactions overlapped are shown by their sequence", () => {
  const entries = [
    event(0, "payment_link.created", 1),
    event(3_000, "payment_link.updated", 2),
    event(2_000, "payment_link.cancelled", 3),
  ];
  expect(newestFirst(entries).map(({ seq }) => seq)).toEqual([3, 2, 1]);
});

test("moments that are far apart count more than what usually follows", () => {
  // A test clock has shown a later day; an opening was only seen the next time.
  const entries = [
    event(86_400_000, "subscription.activated", 1),
    event(0, "payment_link.created", 2),
    other(60_000, "attempt.begun", { payment_id: "p" }),
    other(600_000, "opened"),
  ];
  expect(newestFirst(entries).map(({ kind }) => kind)).toEqual([
    "subscription.activated",
    "opened",
    "attempt.begun",
    "payment_link.created",
  ]);
});

const kinds = ["opened", "attempt.begun", "attempt.unknown", "mail.sent", "payment.failed"];
const any = fc.array(
  fc.record({
    ms: fc.nat({ max: 20_000 }),
    kind: fc.constantFrom(...kinds),
    payment: fc.constantFrom(null, "p1", "p2"),
    cause: fc.nat({ max: 12 }),
  }),
  { maxLength: 12 },
);

test("every entry is shown once, in the same order however they are read, and moved by ten seconds at most", () => {
  fc.assert(
    fc.property(any, fc.func(fc.integer()), (rows, mix) => {
      const entries = rows.map(({ ms, kind, payment, cause }, index) =>
        kind.startsWith("payment.")
          ? event(ms, kind, index + 1, payment)
          : other(ms, kind, { payment_id: payment, cause: `event ${cause}` }),
      );
      const order = newestFirst(entries);
      expect(new Set(order)).toEqual(new Set(entries));
      expect(order).toHaveLength(entries.length);
      const single = entries.filter(
        (one) => !entries.some((same) => same !== one && same.at === one.at),
      );
      if (single.length === entries.length) {
        const mixed = [...entries].sort((a, b) => mix(a) - mix(b));
        expect(newestFirst(mixed).map(({ at }) => at)).toEqual(order.map(({ at }) => at));
      }
    }),
  );
});
