import { randomBytes } from "node:crypto";
import { ErrorAnswer } from "./refused";

export type Transaction = {
  id: string;
  status: "pending" | "completed" | "failed";
  completed_at: string | null;
  payment_channel: string;
};

/** A bill as Billplz shows it. */
export type Bill = {
  id: string;
  collection_id: string;
  paid: boolean;
  state: "due" | "paid" | "deleted";
  amount: number;
  paid_amount: number;
  due_at: string;
  email: string | null;
  mobile: string | null;
  name: string;
  url: string;
  reference_1_label: string;
  reference_1: string | null;
  reference_2_label: string;
  reference_2: string | null;
  redirect_url: string | null;
  callback_url: string;
  description: string;
  paid_at: string | null;
};

export type Outcome = "approve" | "decline" | "decline_hard" | "approve_later";

/** A callback that was sent: the fields of its form, signed. */
export type Sent = { bill: Bill; body: string };

const shortId = () => randomBytes(6).toString("base64url");
/** "2015-03-09 16:23:59 +0800" */
const billplzTime = () => {
  const shifted = new Date(Date.now() + 8 * 3_600_000).toISOString();
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)} +0800`;
};

/** One account at the peer, in one mode, with one collection. Tests compare Kutip's records with its books. */
export class Shop {
  readonly collectionId = shortId();
  readonly xSignatureKey = `S-${randomBytes(16).toString("base64url")}`;
  isActive = true;
  readonly bills: Bill[] = [];
  readonly sent: Sent[] = [];
  /** The ways to pay of the collection, by code. */
  methods: Record<string, boolean> = { fpx: true, fpxb2b1: true, boost: true, mpgs: false };
  /** The banks of FPX, and whether each works. */
  banks: Record<string, boolean> = { MB2U0227: true, PBB0233: false, TEST0001: true };
  readonly #transactions = new Map<string, Transaction[]>();
  onChange: (bill: Bill) => void = () => undefined;

  constructor(
    readonly mode: "test" | "live",
    private readonly origin: () => string,
  ) {}

  create(asked: Record<string, string>): Bill {
    if (asked.collection_id !== this.collectionId)
      throw new ErrorAnswer(422, "RecordInvalid", "Collection is invalid");
    const id = shortId();
    const bill: Bill = {
      id,
      collection_id: this.collectionId,
      paid: false,
      state: "due",
      amount: Number(asked.amount),
      paid_amount: 0,
      due_at: new Date().toISOString().slice(0, 10),
      email: asked.email ?? null,
      mobile: asked.mobile ?? null,
      name: (asked.name ?? "").toUpperCase(),
      url: `${this.origin()}/bills/${id}`,
      reference_1_label: asked.reference_1_label ?? "Reference 1",
      reference_1: asked.reference_1 ?? null,
      reference_2_label: asked.reference_2_label ?? "Reference 2",
      reference_2: asked.reference_2 ?? null,
      redirect_url: asked.redirect_url ?? null,
      callback_url: asked.callback_url ?? "",
      description: asked.description ?? "",
      paid_at: null,
    };
    this.bills.push(bill);
    this.#transactions.set(id, []);
    return bill;
  }

  bill(id: string): Bill {
    const bill = this.bills.find((one) => one.id === id);
    if (!bill) throw new ErrorAnswer(404, "RecordNotFound", "Record not found");
    return bill;
  }

  /** Only a bill that is due can be deleted. */
  delete(id: string): object {
    const bill = this.bill(id);
    if (bill.state !== "due") throw new ErrorAnswer(422, "RecordInvalid", "Bill cannot be deleted");
    bill.state = "deleted";
    return {};
  }

  transactions(id: string, status: string | null): Transaction[] {
    this.bill(id);
    const all = this.#transactions.get(id) ?? [];
    return all.filter((one) => status === null || one.status === status);
  }

  /** The payer presses a button of the bill's page; after a failure the bill stays due. A page of a deleted bill has no buttons. */
  press(id: string, outcome: Outcome): Bill {
    const bill = this.bill(id);
    if (bill.state !== "due" || this.transactions(id, "pending").length > 0) return bill;
    const transaction = this.startAtBank(id);
    if (outcome !== "approve_later") this.finish(bill, transaction, outcome === "approve");
    return bill;
  }

  /** The payer is at the bank's page: the transaction at Billplz is pending. */
  startAtBank(id: string): Transaction {
    const transaction: Transaction = {
      id: randomBytes(6).toString("hex").toUpperCase(),
      status: "pending",
      completed_at: null,
      payment_channel: "FPX",
    };
    this.#transactions.get(id)?.unshift(transaction);
    return transaction;
  }

  /** The bank says how a transaction ended. A deleted bill that is paid appears again. */
  finish(bill: Bill, transaction: Transaction, isPaid: boolean): void {
    transaction.status = isPaid ? "completed" : "failed";
    if (isPaid) {
      transaction.completed_at = new Date().toISOString();
      Object.assign(bill, { paid: true, state: "paid", paid_amount: bill.amount });
      bill.paid_at = billplzTime();
    }
    this.onChange(bill);
  }

  /** Every open transaction goes through. */
  settle(): void {
    for (const bill of this.bills)
      for (const transaction of this.transactions(bill.id, "pending"))
        this.finish(bill, transaction, true);
  }
}
