import { expect, test, vi } from "vitest";
import { getPaymentLink } from "@/lib/contract/operations";
import { PaymentLink } from "@/lib/contract/payment-links";
import { answered, drawn } from "@/tests/drawn";
import { LinkDetail } from "./detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = PaymentLink.parse(PaymentLink.meta()?.examples?.[0]);

function pageOf(values: Partial<PaymentLink>): string {
  const link = { ...example, status: "Active", expires_at: null, ...values } as PaymentLink;
  return drawn(<LinkDetail id={link._id} />, [
    answered(getPaymentLink, { params: { payment_link_id: link._id } }, link),
  ]);
}

function buttonsOf(values: Partial<PaymentLink>): string[] {
  const html = pageOf(values);
  const names = ["Reopen", "Edit", "Copy payment link", "QR code", "Share", "Open"];
  const at = (name: string) =>
    html.search(new RegExp(`>${name}</(?:button|a)>|row-start-1">${name}</span>`));
  return names.filter((name) => at(name) >= 0).sort((a, b) => at(a) - at(b));
}

test("the page of a link that takes money offers every way to bring it to the payer", () => {
  expect(buttonsOf({})).toEqual(["Edit", "Copy payment link", "QR code", "Share", "Open"]);
});

test.each<[string, Partial<PaymentLink>, string[]]>([
  ["is cancelled", { status: "Cancelled" }, ["Reopen", "Edit", "Open"]],
  ["has expired", { status: "Expired" }, ["Edit", "Open"]],
  ["expires now", { expires_at: "2026-01-01T00:00:00.000000Z" }, ["Edit", "Open"]],
  ["is paid", { status: "Paid", paid: true }, ["Open"]],
])(
  "the page of a link that %s offers nothing that would ask for its payment, and Reopen first where the link can be reopened",
  (_state, values, buttons) => {
    expect(buttonsOf(values)).toEqual(buttons);
  },
);

const days = [{ days: 3, relative_to: "created_at" as const }];
test.each<[string, Partial<PaymentLink>, string | undefined]>([
  ["reminders of its own", { reminders: days }, "3 days after it is created"],
  ["no reminders at all", { reminders: [], default_reminders: days }, "Never"],
  ["a default", { default_reminders: days }, "By default: 3 days after it is created"],
  ["no default", {}, "None by default"],
  ["a subscription", { subscription_id: "5".repeat(24) }, undefined],
])("the page of a link with %s says when its payer is reminded", (_with, values, words) => {
  const [, shown] = />Reminders<\/dt><dd[^>]*>([^<]*)</.exec(pageOf(values)) ?? [];
  expect(shown).toBe(words);
});
