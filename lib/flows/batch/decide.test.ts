import fc from "fast-check";
import { expect, test } from "vitest";
import { linkStatuses } from "@/lib/contract/values";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { decide, type Facts } from "./decide";

const moment = fc.constantFrom(null, "2030-01-01T00:00:00.000000Z", "2031-01-01T00:00:00.000000Z");
const facts: fc.Arbitrary<Facts> = fc.record({
  batch: fc.record({
    action: fc.constantFrom("cancel", "extend", "remind", "send", "undo"),
    shorten: fc.boolean(),
  }),
  link: fc.option(
    fc.record({
      status: fc.constantFrom(...linkStatuses),
      email: fc.constantFrom("ana@example.com", "ana@example.com", ERASED_EMAIL),
      subscriptionId: fc.constantFrom(null, "subscription"),
      openPaymentId: fc.constantFrom(null, "payment"),
      expiresAt: moment,
      dueAt: moment,
      deletedAt: fc.constantFrom(null, null, null, "2029-01-01T00:00:00.000000Z"),
      updatedAt: fc.constantFrom("first", "second"),
      version: fc.nat(),
    }),
    { nil: undefined },
  ),
  clockDeleted: fc.boolean(),
  original: fc.option(
    fc.record({
      previousStatus: fc.constantFrom("Active", "Expired"),
      previousExpiresAt: moment,
      previousDueAt: moment,
      linkUpdatedAt: fc.constantFrom(null, "first", "second"),
      postponedAt: fc.constantFrom(null, "first", "second"),
    }),
    { nil: undefined },
  ),
  over: fc.boolean(),
  newExpiry: fc.constantFrom("2030-01-01T00:00:00.000000Z", "2031-01-01T00:00:00.000000Z"),
  newDue: moment,
  newExpiryPassed: fc.boolean(),
  keptMoney: fc.boolean(),
  mailedOften: fc.boolean(),
});

const each = (promise: (facts: Facts, decision: ReturnType<typeof decide>) => void) =>
  fc.assert(
    fc.property(facts, (one) => promise(one, decide(one))),
    { numRuns: 2_000 },
  );

test("nothing happens to a link that is gone, paid, about to be paid, or with a payer at the gateway", () => {
  each(({ link }, { kind }) => {
    if (
      !link ||
      link.deletedAt !== null ||
      link.status === "Paid" ||
      link.status === "Processing" ||
      link.openPaymentId !== null
    )
      expect(kind).toBe("skip");
  });
});

test("no link is extended to a moment before its due date, or to one that has passed", () => {
  each(({ batch, newExpiryPassed, newExpiry, link }, decision) => {
    if (batch.action !== "extend" || decision.kind !== "change") return;
    expect(newExpiryPassed).toBe(false);
    const { dueAt = link?.dueAt ?? null, expiresAt = null } = decision.set;
    if (dueAt !== null && expiresAt !== null) expect(dueAt <= expiresAt).toBe(true);
    expect([newExpiry, null]).toContain(expiresAt);
  });
});

test("an extension gives no link less time than it has, unless it is to shorten too", () => {
  each(({ batch, link, newExpiry }, decision) => {
    if (batch.action !== "extend" || newExpiry === null || batch.shorten) return;
    if (link?.expiresAt != null && link.expiresAt > newExpiry) expect(decision.kind).toBe("skip");
    if (link?.expiresAt === null && decision.kind === "change")
      expect(decision.set.expiresAt).toBeNull();
  });
});

test("an extension moves a due date only where it was asked to", () => {
  each(({ batch, newDue }, decision) => {
    if (batch.action !== "extend") return;
    if (decision.kind === "change") expect(decision.set.dueAt === undefined).toBe(newDue === null);
    else if (decision.kind === "skip" && decision.reason === "never_expires")
      expect(newDue).toBeNull();
  });
});

const [early, middle, late] = ["2030-01", "2031-01", "2032-01"].map(
  (month) => `${month}-01T00:00:00.000000Z`,
) as [string, string, string];
test.each([
  ["with an expiry moves with it", early, middle, late, { expiresAt: late, dueAt: middle }],
  ["without an expiry gets none", null, middle, late, { expiresAt: null, dueAt: middle }],
  ["never passes the expiry", early, late, middle, { expiresAt: middle, dueAt: middle }],
])("a due date that moves, of a link %s", (_case, expiresAt, newDue, newExpiry, set) => {
  expect(decide({ ...openLink({ expiresAt, dueAt: early }), newDue, newExpiry })).toEqual({
    kind: "change",
    event: "updated",
    set: { status: "Active", ...set },
  });
});

test("only reminders and first mails send mail, and only about a link that can be paid now and that no money came for", () => {
  each(({ batch, link, over, keptMoney, mailedOften }, { kind }) => {
    const mails = batch.action === "remind" || batch.action === "send";
    if (kind === "mail")
      expect([mails, link?.status, over, keptMoney, mailedOften]).toEqual([
        true,
        "Active",
        false,
        false,
        false,
      ]);
    if (mails) expect(kind).not.toBe("change");
  });
});

test("a cancellation and an extension change the link, and links of periods keep their own process", () => {
  each(({ batch, link }, decision) => {
    if (decision.kind !== "change") return;
    expect(link?.subscriptionId).toBeNull();
    if (batch.action !== "undo") expect({ ...link, ...decision.set }).not.toEqual(link);
  });
});

test("an undo gives back what was before, and nothing that changed since", () => {
  each(({ batch, link, original }, decision) => {
    if (batch.action !== "undo" || decision.kind !== "change") return;
    expect(original?.postponedAt ?? original?.linkUpdatedAt).toBe(link?.updatedAt);
    const { event, set } = decision;
    expect(event === "expired").toBe(set.status === "Expired");
    expect(decision.set).toEqual({
      status: original?.previousStatus,
      expiresAt: original?.previousExpiresAt,
      ...(original?.previousDueAt ? { dueAt: original.previousDueAt } : {}),
    });
  });
});

test("no link is opened again once its test clock is deleted, because nothing would end it", () => {
  each(({ link, clockDeleted }, decision) => {
    if (decision.kind === "change" && decision.set.status === "Active" && clockDeleted)
      expect(link?.status).toBe("Active");
  });
  const expired = openLink({ status: "Expired" });
  expect(decide(expired).kind).toBe("change");
  expect(decide({ ...expired, clockDeleted: true }).kind).toBe("skip");
});

test("the link of an erased payer is neither opened again nor mailed", () => {
  const kinds = new Set<string>();
  each(({ batch, link }, decision) => {
    if (link?.email !== ERASED_EMAIL) return;
    kinds.add(decision.kind);
    if (batch.action === "undo") expect(decision.kind).toBe("skip");
    if (decision.kind === "change" && decision.set.status === "Active")
      expect(link.status).toBe("Active");
  });
  expect([...kinds].sort()).toEqual(["change", "skip"]);
});

test("an open link without a payer can always be cancelled, extended and reminded", () => {
  const kinds = (["cancel", "extend", "remind", "send"] as const).map(
    (action) => decide({ ...openLink(), batch: { action, shorten: false } }).kind,
  );
  expect(kinds).toEqual(["change", "change", "mail", "mail"]);
});

/** An extension of a link that is open and has no payer. */
function openLink(more: Partial<NonNullable<Facts["link"]>> = {}): Facts {
  return {
    batch: { action: "extend", shorten: false },
    link: {
      status: "Active",
      email: "ana@example.com",
      subscriptionId: null,
      openPaymentId: null,
      expiresAt: "2030-01-01T00:00:00.000000Z",
      dueAt: null,
      deletedAt: null,
      updatedAt: "first",
      version: 1,
      ...more,
    },
    clockDeleted: false,
    over: false,
    newExpiry: "2031-01-01T00:00:00.000000Z",
    newDue: null,
    newExpiryPassed: false,
    keptMoney: false,
    mailedOften: false,
  };
}
