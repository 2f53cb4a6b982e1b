import { randomUUID } from "node:crypto";
import { ErrorAnswer } from "./refused";
import {
  type Behaviour,
  errors,
  feeOf,
  newPurchase,
  now,
  type Purchase,
  type PurchaseAsked,
  type RefundPayment,
} from "./objects";
import { newKeys } from "./signing";

export type Outcome = "approve" | "decline" | "decline_hard" | "approve_later";
export type Sent = { type: string; body: string };

const open = new Set(["created", "viewed", "error", "overdue"]);

/** One company at the peer, in one mode, with one brand. Tests compare Kutip's records with its books. */
export class Bank {
  readonly companyId = randomUUID();
  keys = newKeys();
  /** The methods that are set up for the brand. */
  methods = ["fpx", "fpx_b2b1", "dnqr", "visa", "mastercard", "razer_tng", "razer_grabpay"];
  readonly purchases: Purchase[] = [];
  readonly events: Sent[] = [];
  /** Refunds that went through, oldest first, with the purchase of each. */
  readonly refunds: RefundPayment[] = [];
  /** Whether a fee is pending at first, as in answers of CHIP that others have published. */
  feesLater = false;
  nextRefund: "decline" | "pending" | null = null;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #pendingRefunds = new Map<string, number>();
  onEvent: (event: Sent, purchase: Purchase) => void = () => undefined;

  constructor(
    readonly brandId: string,
    readonly isTest: boolean,
    private readonly origin: () => string,
  ) {}

  #tell(type: string, purchase: Purchase, object: object = purchase): void {
    const sent = { type, body: JSON.stringify({ ...object, event_type: type }) };
    this.events.push(sent);
    this.onEvent(sent, purchase);
  }

  #turn(purchase: Purchase, status: string, related: string | null = null): void {
    purchase.status = status;
    purchase.updated_on = now();
    purchase.status_history.push({
      status,
      timestamp: now(),
      ...(related === null ? {} : { related_object: { type: "payment", id: related } }),
    });
    if (!open.has(status)) purchase.checkout_url = undefined;
  }

  create(asked: PurchaseAsked): Purchase {
    if (asked.brand_id !== this.brandId)
      throw new ErrorAnswer(400, {
        brand_id: { message: "Invalid brand.", code: "does_not_exist" },
      });
    if (asked.purchase.currency !== "MYR")
      throw new ErrorAnswer(400, { purchase: { message: "No method takes this currency." } });
    const { payment_method_whitelist: whitelist } = asked;
    if (whitelist?.every((method) => !this.methods.includes(method)))
      throw new ErrorAnswer(400, {
        payment_method_whitelist: { message: "No method is left.", code: "invalid" },
      });
    const made = newPurchase(asked, this, this.origin());
    this.purchases.push(made);
    this.#tell("purchase.created", made);
    return made;
  }

  purchase(id: string): Purchase {
    const found = this.purchases.find((one) => one.id === id);
    if (!found) throw new ErrorAnswer(404, undefined);
    const { due } = found;
    if (open.has(found.status) && due && due <= now())
      this.#turn(found, found.purchase.due_strict ? "expired" : "overdue");
    return found;
  }

  cancel(id: string): Purchase {
    const purchase = this.purchase(id);
    if (purchase.status === "cancelled") return purchase;
    if (!open.has(purchase.status))
      throw refusal("purchase_cancel_error", "It cannot be cancelled.");
    this.#turn(purchase, "cancelled");
    this.#tell("purchase.cancelled", purchase);
    return purchase;
  }

  /** The payer presses a button of the hosted page; after a decline it stays open for another try. */
  press(id: string, outcome: Outcome): Purchase {
    const purchase = this.purchase(id);
    if (!open.has(purchase.status)) return purchase;
    const isSaving = purchase.skip_capture && purchase.purchase.total === 0;
    if (outcome === "decline" || outcome === "decline_hard")
      this.#decline(purchase, "execute", outcome === "decline" ? "soft" : "hard");
    else if (isSaving) this.#save(purchase, "works");
    else if (outcome === "approve_later") this.#wait(purchase, "pending_execute");
    else this.#take(purchase, "execute");
    return purchase;
  }

  #card(purchase: Purchase): void {
    purchase.transaction_data.payment_method = "visa";
    purchase.transaction_data.extra = {
      masked_pan: "444433******1111",
      three_d_secure: false,
      expiry_month: 12,
      expiry_year: 2030,
      cardholder_name: "Siti",
    };
  }

  #save(purchase: Purchase, behaviour: Behaviour): void {
    this.#card(purchase);
    purchase.is_recurring_token = true;
    this.#behaviours.set(purchase.id, behaviour);
    this.#turn(purchase, "preauthorized");
    this.#tell("purchase.preauthorized", purchase);
  }

  /** A card that was saved, and that behaves so when it is charged; the id is the token. */
  saveMethod(behaviour: Behaviour): string {
    const purchase = this.create({
      brand_id: this.brandId,
      client: { email: "payer@example.com" },
      skip_capture: true,
      success_redirect: "https://shop.example/back",
      purchase: { currency: "MYR", products: [{ name: "Save a card", price: 0 }] },
    });
    this.#save(purchase, behaviour);
    return purchase.id;
  }

  /** How a saved card behaves from now on. */
  behave(id: string, behaviour: Behaviour): void {
    this.#behaviours.set(id, behaviour);
  }

  deleteToken(id: string): Purchase {
    const purchase = this.purchase(id);
    purchase.is_recurring_token = false;
    this.#tell("purchase.recurring_token_deleted", purchase);
    return purchase;
  }

  charge(id: string, token: string): Purchase {
    const purchase = this.purchase(id);
    const card = this.purchases.find((one) => one.id === token && one.is_recurring_token);
    if (!card)
      throw new ErrorAnswer(400, {
        recurring_token: { message: "No such token.", code: "does_not_exist" },
      });
    if (!open.has(purchase.status))
      throw refusal("purchase_charge_error", "The purchase cannot be paid any more.");
    const behaviour = this.#behaviours.get(token) ?? "works";
    purchase.recurring_token = token;
    if (behaviour === "works") this.#take(purchase, "recurring_execute");
    else if (behaviour === "pending") this.#wait(purchase, "pending_charge");
    else {
      this.#decline(purchase, "recurring_execute", behaviour);
      throw refusal("purchase_charge_error", "The charge failed.");
    }
    return purchase;
  }

  #wait(purchase: Purchase, status: "pending_execute" | "pending_charge"): void {
    this.#turn(purchase, status);
    this.#tell(`purchase.${status}`, purchase);
  }

  #decline(purchase: Purchase, type: string, behaviour: Behaviour): void {
    purchase.transaction_data.attempts.unshift({
      type,
      successful: false,
      payment_method: "visa",
      processing_time: now(),
      error: errors[behaviour] ?? errors.soft ?? null,
    });
    this.#turn(purchase, "error");
    this.#tell("purchase.payment_failure", purchase);
  }

  #take(purchase: Purchase, type: string): void {
    const amount = purchase.purchase.total;
    const fee = feeOf(amount);
    this.#card(purchase);
    purchase.transaction_data.attempts.unshift({
      type,
      successful: true,
      payment_method: "visa",
      processing_time: now(),
      error: null,
    });
    purchase.payment = {
      is_outgoing: false,
      payment_type: type === "execute" ? "purchase" : "purchase_charge",
      amount,
      currency: purchase.purchase.currency,
      net_amount: amount - fee,
      ...(this.feesLater
        ? { fee_amount: 0, pending_amount: fee }
        : { fee_amount: fee, pending_amount: 0 }),
      paid_on: now(),
    };
    purchase.refundable_amount = amount;
    purchase.refund_availability = "all";
    this.#turn(purchase, "paid");
    this.#tell("purchase.paid", purchase);
  }

  refund(id: string, asked: number | undefined): RefundPayment | Purchase {
    const purchase = this.purchase(id);
    const amount = asked ?? purchase.refundable_amount;
    const goes = this.nextRefund;
    if (!purchase.payment || purchase.status === "pending_refund")
      throw refusal("purchase_refund_error", "The purchase cannot be refunded now.");
    if (amount <= 0 || amount > purchase.refundable_amount)
      throw refusal("purchase_refund_error", "More than the refundable amount.");
    this.nextRefund = null;
    if (goes === "decline") {
      purchase.transaction_data.attempts.unshift({
        type: "refund",
        successful: false,
        payment_method: "visa",
        processing_time: now(),
        error: { code: "exceeded_acquirer_refund_amount", message: "The acquirer refused." },
      });
      throw refusal("purchase_refund_error", "The refund failed.");
    }
    if (goes === "pending") {
      this.#pendingRefunds.set(id, amount);
      this.#turn(purchase, "pending_refund");
      this.#tell("purchase.pending_refund", purchase);
      return purchase;
    }
    return this.#giveBack(purchase, amount);
  }

  /** The fee of a purchase is not pending any more. */
  chargeFee(id: string): void {
    const purchase = this.purchase(id);
    const { payment } = purchase;
    if (!payment) throw new Error("nothing was paid");
    payment.fee_amount = payment.pending_amount ?? 0;
    payment.pending_amount = 0;
    this.#turn(purchase, "settled");
    this.#tell("purchase.settled", purchase);
  }

  #giveBack(purchase: Purchase, amount: number): RefundPayment {
    const made: RefundPayment = {
      type: "payment",
      id: randomUUID(),
      client: purchase.client,
      brand_id: purchase.brand_id,
      company_id: purchase.company_id,
      is_test: purchase.is_test,
      reference: purchase.reference,
      created_on: now(),
      updated_on: now(),
      related_to: { type: "purchase", id: purchase.id },
      payment: {
        is_outgoing: true,
        payment_type: "refund",
        amount,
        currency: purchase.purchase.currency,
        paid_on: now(),
      },
    };
    this.refunds.push(made);
    purchase.refundable_amount -= amount;
    this.#turn(purchase, "refunded", made.id);
    this.#tell("payment.refunded", purchase, made);
    return made;
  }

  /** The payer's bank takes the money back. */
  chargeBack(purchase: Purchase): void {
    this.#turn(purchase, "chargeback");
    this.#tell("payment.charged_back", purchase, {
      type: "payment",
      id: randomUUID(),
      brand_id: purchase.brand_id,
      is_test: purchase.is_test,
      related_to: { type: "purchase", id: purchase.id },
    });
  }

  markAsPaid(purchase: Purchase): void {
    this.#take(purchase, "execute");
    purchase.marked_as_paid = true;
  }

  /** The payer's bank declines what is pending: the page is open for another try. */
  declinePending(purchase: Purchase): void {
    purchase.checkout_url = `${this.origin()}/p/${purchase.id}/`;
    this.#decline(purchase, "execute", "soft");
  }

  /** What is pending goes through. */
  settle(): void {
    for (const purchase of this.purchases) {
      if (purchase.status === "pending_execute") this.#take(purchase, "execute");
      if (purchase.status === "pending_charge") this.#take(purchase, "recurring_execute");
      const refund = this.#pendingRefunds.get(purchase.id);
      if (refund !== undefined && this.#pendingRefunds.delete(purchase.id))
        this.#giveBack(purchase, refund);
    }
  }

  /** A pending refund of a purchase does not go through. */
  failRefund(purchase: Purchase): void {
    this.#pendingRefunds.delete(purchase.id);
    this.#turn(purchase, "paid");
    this.#tell("purchase.refund_failure", purchase);
  }
}

const refusal = (code: string, message: string) =>
  new ErrorAnswer(400, { __all__: { message, code } });
