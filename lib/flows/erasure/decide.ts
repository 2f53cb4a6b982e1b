import type { PayerRecords } from "@/lib/domain/payers/erasure-rows";
import type { Mode } from "@/lib/contract/values";

export type ErasureRefusal = {
  object: "payment" | "refund";
  _id: string;
  mode: Mode;
  status: string;
};

/** What is done before a payer can be erased, or why nothing is. */
export type ErasureDecision =
  | { kind: "refuse"; refusals: ErasureRefusal[] }
  | {
      kind: "erase";
      /** Live subscriptions, to be cancelled. */
      subscriptions: PayerRecords["subscriptions"];
      /** Links with a payer at the gateway; their gateway pages are closed. */
      open: PayerRecords["links"];
      /** Links that take money, to be cancelled. */
      links: PayerRecords["links"];
      /** Saved methods that work or may come to work, to be revoked. */
      methods: PayerRecords["methods"];
    };

/** Money without a final outcome, or about which the payer's bank has not decided. */
const isUnderWay = ({ status, disputeStatus }: { status: string; disputeStatus?: string | null }) =>
  ["submitting", "pending", "unknown"].includes(status) ||
  (status === "disputed" && disputeStatus !== "lost");

/** Whether a payer with these records can be erased now. */
export function decide(records: PayerRecords): ErasureDecision {
  const refusals = (["payment", "refund"] as const).flatMap((object) =>
    records[object === "payment" ? "payments" : "refunds"]
      .filter(isUnderWay)
      .map(({ id, mode, status }) => ({ object, _id: id, mode, status })),
  );
  if (refusals.length > 0) return { kind: "refuse", refusals };
  return {
    kind: "erase",
    subscriptions: records.subscriptions.filter((one) => one.status !== "cancel" && !one.deleted),
    open: records.links.filter((one) => one.openPaymentId !== null),
    links: records.links.filter(
      (one) => one.status === "Active" && !one.deleted && one.subscriptionId === null,
    ),
    methods: records.methods.filter(({ status }) => status === "pending" || status === "active"),
  };
}
