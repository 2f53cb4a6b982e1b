import {
  type IntentAsked,
  newBalance,
  newCharge,
  newDispute,
  newEvent,
  newIntent,
  newMethod,
  newRefund,
  newSession,
  newSetup,
  type Sent,
  type SessionAsked,
} from "./new-objects";
import {
  type Behaviour,
  type Charge,
  type Dispute,
  disputeFee,
  failing,
  feeOf,
  type Intent,
  later,
  type Metadata,
  type Method,
  newIdOf,
  now,
  type Outcome,
  type Refund,
  type Session,
  type Setup,
  shown,
  type Thing,
  unpaid,
} from "./objects";
import { assertLargeEnough, assertOpens } from "./checks";
import { Endpoints } from "./endpoints";
import { badRequest, missing, Refused } from "./refused";

/** One account at the peer, in one mode. Tests compare Kutip's records with its books. */
export class Bank {
  readonly id = newIdOf("acct");
  readonly sessions: Session[] = [];
  readonly intents: Intent[] = [];
  methods: Method[] = [];
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];
  readonly webhooks: Endpoints;
  readonly events: Sent[] = [];
  /** How the next refund goes. */
  nextRefund: "decline" | "pending" | null = null;
  /** How its payers pay on its pages. The peer knows no way but `card` that takes money back without asking the payer. */
  paysWith = "card";
  /** The smallest amount that it charges of any currency, for an account that is paid out in another one. */
  smallest = 0;
  /** Whether Stripe's cut is known only later. */
  feesLater = false;
  /** The currency of the account's balance, and what a unit of a payment's currency is worth in it; null: the payment's own. */
  settlement: { currency: string; rate: number } | null = null;
  /** Whether its list of disputes lags behind what has happened. */
  disputesLag = false;
  onEvent: (event: Sent) => void = () => undefined;

  constructor(
    readonly livemode: boolean,
    private readonly origin: () => string,
  ) {
    this.webhooks = new Endpoints(livemode);
  }

  readonly #later: Array<() => void> = [];

  #tell(type: string, thing: Thing): void {
    const event = newEvent(this.livemode, type, thing);
    this.events.push(event);
    this.onEvent(event);
  }

  openSession(asked: SessionAsked): Session {
    assertOpens(asked);
    assertLargeEnough(this.smallest, asked.amount, asked.currency);
    const session = newSession(this.livemode, this.origin(), asked);
    this.sessions.unshift(session);
    return session;
  }

  session(id: string): Session {
    const found = this.sessions.find((one) => one.id === id);
    if (!found) throw missing("checkout.session", id);
    if (found.status === "open" && found.expires_at <= now()) this.#close(found);
    return found;
  }

  expire(id: string): Session {
    const session = this.session(id);
    if (session.status !== "open")
      throw badRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      );
    this.#close(session);
    return session;
  }

  #close(session: Session): void {
    Object.assign(session, { status: "expired", url: null });
    this.#tell("checkout.session.expired", session);
  }

  /** The payer presses a button of the hosted page; after a decline it stays open for another try. */
  press(id: string, outcome: Outcome): Session {
    const session = this.session(id);
    if (session.status !== "open") return session;
    if (outcome === "decline" || outcome === "decline_hard") {
      if (session.mode === "payment") this.#attempt(this.#intentOf(session), outcome);
      return Object.assign(session, { declined: failing[outcome]?.message ?? null });
    }
    const customer = newIdOf("cus");
    if (session.mode === "setup") {
      const payment_method = this.saveMethod("works", customer);
      const setup = newSetup(this.livemode, payment_method, session.intentMetadata);
      Object.assign(session, { status: "complete", url: null, customer, setup_intent: setup });
      this.#tell("setup_intent.succeeded", setup);
      this.#tell("checkout.session.completed", session);
      return session;
    }
    const intent = this.#intentOf(session);
    const behaviour = later[outcome] ?? "works";
    this.#attempt(intent, behaviour);
    const payment_status = behaviour === "works" ? "paid" : "unpaid";
    Object.assign(session, { status: "complete", url: null, payment_status });
    this.#tell("checkout.session.completed", session);
    return session;
  }

  saveMethod(behaviour: Behaviour, customer = newIdOf("cus")): Method & { customer: string } {
    const method = newMethod(this.livemode, behaviour, customer);
    this.methods.push(method);
    return Object.assign(method, { customer });
  }

  method(id: string): Method {
    const found = this.methods.find((one) => one.id === id);
    if (!found) throw missing("PaymentMethod", id);
    return found;
  }

  /** The setups that saved a method, on its pages. */
  setupsOf(method: string): Setup[] {
    return this.sessions.flatMap(({ setup_intent: setup }) =>
      setup?.payment_method?.id === method ? [setup] : [],
    );
  }

  /** The card network tells Stripe of another expiry or number, or the account's owner edits it. */
  updateCard(method: Method, card: Partial<Method["card"]>, type = "automatically_updated"): void {
    Object.assign(method.card, card);
    this.#tell(`payment_method.${type}`, method);
  }

  /** The owner of the account removes a card from its customer. */
  detach(method: Method): void {
    method.customer = null;
    this.#tell("payment_method.detached", method);
  }

  forgetCustomer(customer: string): void {
    if (!this.methods.some((one) => one.customer === customer))
      throw new Refused(404, {
        type: "invalid_request_error",
        code: "resource_missing",
        message: `No such customer: '${customer}'`,
      });
    this.methods = this.methods.filter((one) => one.customer !== customer);
  }

  /** The payment of a page, made when its payer first tries a card. */
  #intentOf(session: Session): Intent {
    session.payment_intent ??= this.#intent({
      amount: session.amount_total ?? 0,
      currency: session.currency ?? "",
      metadata: session.intentMetadata,
      customer: null,
      description: session.title,
      offSession: "",
    });
    return session.payment_intent;
  }

  #intent(asked: IntentAsked): Intent {
    const intent = newIntent(this.livemode, asked);
    this.intents.unshift(intent);
    return intent;
  }

  charge(asked: {
    amount: number;
    currency: string;
    customer: string;
    method: string;
    metadata: Metadata;
    description: string;
    offSession: string;
  }): Intent {
    assertLargeEnough(this.smallest, asked.amount, asked.currency);
    const method = this.methods.find(
      (one) => one.id === asked.method && one.customer === asked.customer,
    );
    if (!method) throw badRequest(`No such PaymentMethod: '${asked.method}'`, "resource_missing");
    const intent = this.#intent(asked);
    if (method.behaviour === "action") return Object.assign(intent, { status: "requires_action" });
    this.#attempt(intent, method.behaviour);
    const error = intent.last_payment_error;
    if (error)
      throw new Refused(402, { ...error, payment_intent: shown(intent, ["latest_charge"]) });
    return intent;
  }

  /** Tries the card: books it, leaves it pending, or writes down why not. */
  #attempt(intent: Intent, behaviour: Behaviour | "decline" | "decline_hard"): void {
    const failure = failing[behaviour];
    const type = intent.offSession === "" ? this.paysWith : "card";
    const made = newCharge(intent, failure ? "failed" : "pending", type);
    intent.attempts.push(made);
    intent.latest_charge = made;
    if (failure) {
      Object.assign(intent, {
        status: "requires_payment_method",
        last_payment_error: { type: "card_error", ...failure },
      });
      this.#tell("payment_intent.payment_failed", intent);
    } else if (behaviour === "action") intent.status = "requires_action";
    else if (behaviour === "pending") {
      intent.status = "processing";
      this.#tell("payment_intent.processing", intent);
    } else this.#take(intent);
  }

  #take(intent: Intent): void {
    const made = intent.latest_charge;
    if (!made) return;
    const fee = feeOf(made.amount);
    Object.assign(made, {
      status: "succeeded",
      paid: true,
      captured: true,
      amount_captured: made.amount,
    });
    const book = () => {
      const { currency, rate } = this.settlement ?? { currency: made.currency, rate: 1 };
      const [amount, cut] = [made.amount, fee].map((sum) => Math.round(sum * rate)) as [
        number,
        number,
      ];
      made.balance_transaction = newBalance("charge", amount, currency, cut);
    };
    if (this.feesLater) this.#later.push(book, () => this.#tell("charge.updated", made));
    else book();
    Object.assign(intent, {
      status: "succeeded",
      amount_received: made.amount,
      last_payment_error: null,
    });
    this.#tell("charge.succeeded", made);
    this.#tell("payment_intent.succeeded", intent);
  }

  intent(id: string): Intent {
    const found = this.intents.find((one) => one.id === id);
    if (!found) throw missing("payment_intent", id);
    return found;
  }

  cancelIntent(id: string): Intent {
    const intent = this.intent(id);
    if (
      intent.status === "succeeded" ||
      intent.status === "processing" ||
      intent.status === "canceled"
    ) {
      throw badRequest(
        `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
        "payment_intent_unexpected_state",
      );
    }
    intent.status = "canceled";
    this.#tell("payment_intent.canceled", intent);
    return intent;
  }

  refund(
    intentId: string,
    amount: number | null,
    metadata: Metadata,
    email: string | null = null,
  ): Refund {
    const charge = this.intent(intentId).latest_charge;
    if (!charge?.paid)
      throw badRequest("This PaymentIntent does not have a successful charge to refund.");
    const left =
      charge.amount -
      this.refunds
        .filter((one) => one.charge === charge.id && one.status !== "failed")
        .reduce((sum, one) => sum + one.amount, 0);
    if (left === 0)
      throw badRequest(`Charge ${charge.id} has already been refunded.`, "charge_already_refunded");
    const asked = amount ?? left;
    if (asked > left || asked <= 0)
      throw badRequest(
        `Refund amount (${asked}) is greater than unrefunded amount on charge (${left})`,
      );
    const isCard = charge.payment_method_details.type === "card";
    if (isCard && email !== null)
      throw badRequest("`instructions_email` is for payment methods without native refunds.");
    if (!isCard && email === null)
      throw badRequest("`instructions_email` is required to refund this payment method.");
    const goes = this.nextRefund;
    this.nextRefund = null;
    const refund = newRefund(charge, asked, metadata, goes, email);
    this.refunds.unshift(refund);
    if (refund.status === "succeeded") this.#paidBack(refund, charge);
    return refund;
  }

  #paidBack(refund: Refund, charge: Charge): void {
    refund.status = "succeeded";
    charge.amount_refunded += refund.amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    this.#tell("charge.refunded", charge);
    this.#tell("refund.updated", refund);
  }

  /** One that had gone through does not arrive after all: the bank sends it back. */
  failRefund(refund: Refund): void {
    const charge = this.intents.find(({ id }) => id === refund.payment_intent)?.latest_charge;
    if (charge && refund.status === "succeeded")
      Object.assign(charge, {
        amount_refunded: charge.amount_refunded - refund.amount,
        refunded: false,
      });
    Object.assign(refund, {
      status: "failed",
      failure_reason: "lost_or_stolen_card",
      failure_balance_transaction: newIdOf("txn"),
    });
    this.#tell("refund.failed", refund);
    this.#tell("charge.refund.updated", refund);
  }

  /** The payer's bank takes the money, and Stripe its fee. */
  dispute(intentId: string): Dispute {
    const charge = this.intent(intentId).latest_charge;
    if (!charge) throw missing("charge", intentId);
    charge.disputed = true;
    const dispute = newDispute(charge);
    this.disputes.unshift(dispute);
    this.#tell("charge.dispute.created", dispute);
    dispute.balance_transactions.push(
      newBalance("dispute", -dispute.amount, dispute.currency, disputeFee),
    );
    this.#tell("charge.dispute.funds_withdrawn", dispute);
    return dispute;
  }

  closeDispute(dispute: Dispute, status: "won" | "lost"): void {
    dispute.status = status;
    this.#tell("charge.dispute.closed", dispute);
    if (status === "lost") return;
    dispute.balance_transactions.push(
      newBalance("dispute_reversal", dispute.amount, dispute.currency, 0),
    );
    this.#tell("charge.dispute.funds_reinstated", dispute);
  }

  /** A charge that was declined goes through after all. */
  succeedAfterAll(intent: Intent): void {
    this.#take(intent);
  }

  /** What is pending goes through. */
  settle(): void {
    for (const book of this.#later.splice(0)) book();
    for (const intent of this.intents.filter(({ status }) => unpaid.includes(status))) {
      this.#take(intent);
      const session = this.sessions.find((one) => one.payment_intent === intent);
      if (session)
        this.#tell(
          "checkout.session.async_payment_succeeded",
          Object.assign(session, { payment_status: "paid" }),
        );
    }
    for (const refund of this.refunds.filter(
      ({ status }) => status === "pending" || status === "requires_action",
    )) {
      const charge = this.intents.find(({ id }) => id === refund.payment_intent)?.latest_charge;
      if (charge) this.#paidBack(refund, charge);
    }
  }
}
