/** Who gives the money back: the provider now, the provider before, staff since the provider cannot, or staff for money that they recorded by hand. */
export type RefundWay = "gateway" | "listed" | "returned" | "manual";

/** The way of a refund. `unsupported`: the provider said that it cannot make it. `ticked`: the box that only records it. */
export function wayOfRefund(gateway: string, unsupported: boolean, ticked: boolean): RefundWay {
  if (gateway === "manual") return "manual";
  if (unsupported) return "returned";
  return ticked ? "listed" : "gateway";
}

export const refundDescriptions: Record<RefundWay, string> = {
  gateway: "The money goes back the way it came. This can’t be undone.",
  listed:
    "This records a refund that the payment provider shows already. It does not record a bank transfer.",
  returned:
    "Unless the payer has the money already, return it first, at the payment provider or by bank transfer. This records the refund.",
  manual:
    "This payment was recorded by hand, so return the money by hand. This records the refund.",
};

/** What staff confirm with the box that only records a refund. */
export const recordLabel = (unsupported: boolean) =>
  unsupported
    ? "I returned the money to the payer"
    : "It was refunded at the payment provider already";
