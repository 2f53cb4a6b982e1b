import type { PaymentWithPayer } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import type { Notice } from "./notices";
import { displaySums } from "./sums";

export type Arrived = Pick<PaymentWithPayer, "_id" | "amount" | "currency" | "email" | "title">;

type Options = {
  /** Reads the payments of these ids, as far as it can. */
  read: (ids: readonly string[]) => Promise<readonly Arrived[]>;
  /** Shows a notice in place of the one before, while that is on screen. */
  show: (notice: Notice) => void;
  /** Opens one payment, or the list of several. */
  open: (id: string | null) => void;
  /** Marks the tab until it is looked at. */
  mark: () => void;
  /** Whether the page itself reports this payment. */
  isOwn: (id: string) => Promise<boolean>;
};

/** Payments that arrive together are read and shown together. */
const GATHER_MS = 200;

/** Takes the ids of payments as they arrive and shows one notice for all that came while it is on screen. */
export function createArrivals({ read, show, open, mark, isOwn }: Options) {
  const waiting = new Set<string>();
  let shown = new Map<string, Arrived | null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let toMark = false;

  const draw = async () => {
    timer = undefined;
    reading = true;
    const ids = [...waiting];
    waiting.clear();
    const found = await read(ids).catch(() => []);
    const byId = new Map(found.map((payment) => [payment._id, payment]));
    for (const id of ids) if (!(await isOwn(id))) shown.set(id, byId.get(id) ?? null);
    reading = false;
    const seen = toMark;
    toMark = false;
    if (ids.some((id) => shown.has(id))) {
      if (seen) mark();
      show(noticeOf(shown, open, () => (shown = new Map())));
    }
    plan();
  };
  const isSeen = () => document.visibilityState === "visible";
  const plan = () => {
    if (waiting.size > 0 && !reading && isSeen())
      timer ??= setTimeout(() => void draw(), GATHER_MS);
  };

  return {
    add: (id: string) => {
      waiting.add(id);
      // Nothing is shown on a hidden page, so its tab says it at once.
      if (isSeen()) toMark = true;
      else mark();
      plan();
    },
    /** Shows what arrived while the page was hidden. */
    plan,
    end: () => clearTimeout(timer),
  };
}

/** The words for payments that have arrived; null for one that could not be read. */
export function noticeOf(
  payments: ReadonlyMap<string, Arrived | null>,
  open: (id: string | null) => void,
  onClose: () => void,
): Notice {
  const [[id, first] = [null, null]] = payments;
  const same = { tone: "good", replaces: "arrivals", onClose } as const;
  if (payments.size === 1)
    return {
      ...same,
      title: first
        ? `${displayAmount(first.amount, first.currency)} ${first.email ? `from ${first.email}` : "received"}`
        : "A payment arrived",
      description: first?.title,
      action: { label: "Show payment", run: () => open(id) },
    };
  return {
    ...same,
    title: `${payments.size.toLocaleString("en")} payments arrived`,
    description: sumsOf([...payments.values()]),
    action: { label: "Show payments", run: () => open(null) },
  };
}

/** What they come to; undefined where an amount is not known. */
function sumsOf(payments: readonly (Arrived | null)[]): string | undefined {
  const known = payments.filter((payment) => payment !== null);
  return known.length < payments.length ? undefined : displaySums(known);
}
