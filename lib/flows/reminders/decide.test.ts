import fc from "fast-check";
import { expect, test } from "vitest";
import { linkStatuses } from "@/lib/contract/values";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { decide, type Facts } from "./decide";

const morning = "2030-01-01T09:00:00.000000Z";
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  link: fc.option(
    fc.record({
      status: fc.constantFrom(...linkStatuses),
      openPaymentId: fc.constantFrom(null, "payment"),
      deletedAt: fc.constantFrom(null, morning),
      email: fc.constantFrom("ana@example.com", ERASED_EMAIL),
    }),
    { nil: undefined },
  ),
  reminder: fc.option(
    fc.record({
      due: fc.boolean(),
      payable: fc.boolean(),
      morning: fc.constantFrom(null, morning),
    }),
    { nil: undefined },
  ),
  connected: fc.boolean(),
  keptMoney: fc.boolean(),
});

test("a payer is mailed exactly when all speaks for it: the link is open and due, can be paid, no money came for it, and it is no earlier than the morning", () => {
  fc.assert(
    fc.property(anyFacts, (one) => {
      const { link, reminder, connected } = one;
      const mails =
        link?.status === "Active" &&
        link.openPaymentId === null &&
        link.deletedAt === null &&
        link.email !== ERASED_EMAIL &&
        connected &&
        !one.keptMoney &&
        reminder?.due === true &&
        reminder.payable &&
        reminder.morning === null;
      expect(decide(one).kind === "mail").toBe(mails);
    }),
    { numRuns: 3_000 },
  );
});

test("a link that waits only for the morning waits until then, and one with a payer at the gateway is left for later", () => {
  const link = {
    status: "Active",
    openPaymentId: null,
    deletedAt: null,
    email: "a@example.com",
  } as const;
  const facts = {
    link,
    reminder: { due: true, payable: true, morning },
    connected: true,
    keptMoney: false,
  };
  expect(decide(facts)).toEqual({ kind: "wait", until: morning });
  expect(decide({ ...facts, link: { ...link, openPaymentId: "payment" } })).toEqual({
    kind: "leave",
  });
});
