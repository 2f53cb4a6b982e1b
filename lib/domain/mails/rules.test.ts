import { expect, test } from "vitest";
import { mailKinds } from "@/lib/contract/values";
import { ERASED_EMAIL } from "../payers/rules";
import { refusalOf } from "./rules";

const kinds: readonly string[] = mailKinds;
const asksForMoney = [
  "payment_link",
  "payment_reminder",
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
];

const mail = { recipient: "ana@example.com", linkEmail: "Ana@example.com", nextTryAt: null };

test("a mail to an erased payer is never sent again", () => {
  for (const kind of kinds)
    expect(
      refusalOf({ ...mail, kind, status: "sent", payable: true, recipient: ERASED_EMAIL })?.status,
    ).toBe(409);
});

test("a mail that asks for money is sent again only while its link takes it, any other always", () => {
  for (const kind of kinds) {
    expect(refusalOf({ ...mail, kind, status: "sent", payable: true })).toBeNull();
    const refused = refusalOf({ ...mail, kind, status: "sent", payable: false });
    expect([kind, refused !== null]).toEqual([kind, asksForMoney.includes(kind)]);
  }
});

test("a mail of a kind that this version does not know counts as one that asks for money", () => {
  for (const kind of ["some_later_kind", "toString"])
    expect(refusalOf({ ...mail, kind, status: "sent", payable: false })).not.toBeNull();
});

test("a mail that still waits is not sent a second time", () => {
  for (const status of ["queued", "waiting"] as const)
    expect(refusalOf({ ...mail, kind: "receipt", status, payable: true })?.status).toBe(409);
  const again = { ...mail, nextTryAt: "2030-01-01T00:00:00.000000Z" };
  expect(refusalOf({ ...again, kind: "receipt", status: "unknown", payable: true })?.status).toBe(
    409,
  );
});
