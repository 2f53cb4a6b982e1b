import { expect, test, vi } from "vitest";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { Refund } from "@/lib/contract/refunds";
import { drawn } from "@/tests/drawn";
import { ResolveDialog } from "./resolve-dialog";
import { ResolveRefundDialog } from "./resolve-refund-dialog";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));

const payment = PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]);
const refund = Refund.parse(Refund.meta()?.examples?.[0]);
const onClose = () => undefined;

const saidIn = (html: string) => ({
  alert: /<p role="alert"[^>]*>([^<]*)</.exec(html)?.[1],
  buttons: [...html.matchAll(/>(Resolve (?:payment|refund)|Cancel|Close)</g)].map(
    ([, name]) => name,
  ),
});

test.each([
  ["unknown", false, undefined, ["Cancel", "Resolve payment"]],
  ["succeeded", true, "The money was collected. Nothing is left to resolve.", ["Close"]],
] as const)(
  "an open dialog for a payment that is %s by now (over: %s) says: %s",
  (status, isOver, alert, buttons) => {
    const html = drawn(
      <ResolveDialog
        payment={{ ...payment, status }}
        reason="unknown"
        isOver={isOver}
        onClose={onClose}
      />,
      [],
    );
    expect(saidIn(html)).toEqual({ alert, buttons });
  },
);

test.each([
  ["unknown", undefined, ["Cancel", "Resolve refund"]],
  ["succeeded", "The money went back. Nothing is left to resolve.", ["Close"]],
] as const)("an open dialog for a refund that is %s by now says: %s", (status, alert, buttons) => {
  const html = drawn(
    <ResolveRefundDialog payment={payment} refund={{ ...refund, status }} onClose={onClose} />,
    [],
  );
  expect(saidIn(html)).toEqual({ alert, buttons });
});
