import { randomUUID } from "node:crypto";

/** How a saved card behaves when it is charged. */
export type Behaviour = "works" | "soft" | "hard" | "needs_payer" | "pending";

export type PurchaseAsked = {
  brand_id: string;
  client: { email: string; phone?: string };
  purchase: {
    currency: string;
    products: Array<{ name: string; price: number }>;
    due_strict?: boolean;
    notes?: string;
  };
  payment_method_whitelist?: string[];
  reference?: string;
  skip_capture?: boolean;
  due?: number;
  success_redirect?: string;
  failure_redirect?: string;
  cancel_redirect?: string;
  success_callback?: string;
};

type ErrorOf = { code: string; message: string };
type Tried = {
  type: string;
  successful: boolean;
  payment_method: string;
  processing_time: number;
  error: ErrorOf | null;
};
type Money = {
  is_outgoing: boolean;
  payment_type: string;
  amount: number;
  currency: string;
  net_amount?: number;
  fee_amount?: number;
  pending_amount?: number;
  paid_on: number;
};
type History = {
  status: string;
  timestamp: number;
  related_object?: { type: string; id: string };
};

export type Purchase = Omit<PurchaseAsked, "purchase"> & {
  type: "purchase";
  id: string;
  status: string;
  created_on: number;
  updated_on: number;
  is_test: boolean;
  company_id: string;
  reference: string;
  skip_capture: boolean;
  purchase: PurchaseAsked["purchase"] & { total: number };
  payment: Money | null;
  issuer_details: { brand_name: string; legal_name: string };
  transaction_data: { payment_method: string; extra: object; attempts: Tried[] };
  status_history: History[];
  is_recurring_token: boolean;
  recurring_token: string | null;
  refund_availability: string;
  refundable_amount: number;
  marked_as_paid: boolean;
  checkout_url: string | undefined;
};

export type RefundPayment = {
  type: "payment";
  id: string;
  client: object;
  brand_id: string;
  company_id: string;
  is_test: boolean;
  reference: string;
  created_on: number;
  updated_on: number;
  related_to: { type: string; id: string };
  payment: Money;
};

export const now = (): number => Math.floor(Date.now() / 1_000);

/** A purchase as it is when it is made. */
export function newPurchase(
  asked: PurchaseAsked,
  { isTest, companyId }: { isTest: boolean; companyId: string },
  origin: string,
): Purchase {
  const id = randomUUID();
  return {
    ...asked,
    type: "purchase",
    id,
    status: "created",
    created_on: now(),
    updated_on: now(),
    is_test: isTest,
    company_id: companyId,
    reference: asked.reference ?? "",
    skip_capture: asked.skip_capture ?? false,
    purchase: {
      ...asked.purchase,
      total: asked.purchase.products.reduce((sum, { price }) => sum + price, 0),
    },
    payment: null,
    issuer_details: { brand_name: "Night Market", legal_name: "Night Market Sdn Bhd" },
    transaction_data: { payment_method: "", extra: {}, attempts: [] },
    status_history: [{ status: "created", timestamp: now() }],
    is_recurring_token: false,
    recurring_token: null,
    refund_availability: "none",
    refundable_amount: 0,
    marked_as_paid: false,
    checkout_url: `${origin}/p/${id}/`,
  };
}

export const errors: Partial<Record<Behaviour, ErrorOf>> = {
  soft: { code: "insufficient_funds", message: "Insufficient funds" },
  hard: { code: "stolen_card", message: "Stolen card" },
  needs_payer: { code: "3ds_authentication_failed", message: "3DS authentication failed" },
};

/** The peer's cut: 2 % and 50 sen. */
export const feeOf = (amount: number) => Math.round(amount * 0.02) + 50;
