import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { linkKey } from "@/lib/gateways/stripe/shapes";
import { compareBooks } from "../failover/books";
import { chargesOf, type GatewayShop, keptOf, renewalsOf } from "../failover/shop";
import type { Seen } from "../failover/traders";
import { hurryPayments, openWork } from "../open-work";
import { expected, told, waitWhileMoving } from "../proof";

const STILL_SECONDS = 60;
const REFUNDS = 3;
const REFUND_AMOUNT = 500;
const NOTHING: Left = { unknown: [], refunds: 0 };

/** What had been acknowledged at a moment. Links are titles by id. */
export type Promised = {
  links: ReadonlyMap<string, string>;
  payments: ReadonlySet<string>;
};

/** What happened until Kutip stopped, which the restored database does not know. */
export type Since = {
  /** Milliseconds since 1970, at or soon after the moment: what is made later is not in the backup. */
  from: number;
  /** Links that were made before the moment and paid after it. */
  stock: Iterable<string>;
  /** Links that were acknowledged, before the moment and after it. */
  links: Iterable<string>;
  /** Payments that were refunded at the gateway. */
  refunded: readonly string[];
  /** How many charges the gateway had made. */
  charges: number;
};

/** What has been acknowledged so far. */
export const promisedNow = (
  seen: Seen,
  stock: ReadonlyMap<string, string> = new Map(),
): Promised => ({
  links: new Map([...seen.links, ...stock]),
  payments: new Set(seen.paid),
});

/** Refunds a part of some of these payments at the gateway's own dashboard, and returns them. */
export function refundAtGateway({ bank }: GatewayShop, payments: Iterable<string>): string[] {
  const chosen = [...payments].slice(0, REFUNDS);
  for (const id of chosen) {
    const intent = bank.intents.find(({ metadata }) => metadata.kutip_attempt === id);
    if (!intent) throw new Error(`the gateway has no payment ${id}`);
    bank.refund(intent.id, REFUND_AMOUNT, {});
  }
  return chosen;
}

type Left = { unknown: readonly string[]; refunds: number };

/** Waits until renewals are charged or looked up, and until `isDone` accepts what Kutip lacks of the gateway's books. */
async function settle(
  shop: GatewayShop,
  refunded: readonly string[],
  isDone: (left: Left) => boolean,
): Promise<void> {
  const look = async () => {
    await hurryPayments();
    await db.execute(
      sql`update gateway_events set next_try_at = now() where next_try_at is not null`,
    );
    return {
      open: await openWork(),
      due: (await renewalsOf(shop)).due,
      unknown: await unknownOf(shop),
      refunds: refunded.length - (await refundsOf(refunded)),
    };
  };
  await waitWhileMoving(
    // A row may be locked for longer than a statement waits: the next look finds it free.
    () => look().catch((error: Error) => ({ open: [String(error.cause)], due: 0, ...NOTHING })),
    ({ open, due, ...left }) => open.length === 0 && due === 0 && isDone(left),
    STILL_SECONDS,
  );
}

/** Charges at the gateway that Kutip has neither booked nor set aside. */
async function unknownOf(shop: GatewayShop): Promise<string[]> {
  const { payments } = await keptOf(shop);
  const known = new Set([...payments.map(({ attempt }) => attempt), ...(await setAsideIn(shop))]);
  return chargesOf(shop)
    .map(({ attempt }) => attempt)
    .filter((attempt) => !known.has(attempt));
}

async function setAsideIn({ businessId }: GatewayShop): Promise<Set<string>> {
  const { rows } = await db.execute<{ reference: string }>(
    sql`select reference from gateway_events where business_id = ${businessId} and state = 'quarantined' and type = 'payment.unknown'`,
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Nothing that was promised at the moment is lost. Each charge since is booked once or set aside, and none is made again. */
export async function compareRestored(
  shop: GatewayShop,
  promised: Promised,
  since: Since,
): Promise<void> {
  await settle(
    shop,
    since.refunded,
    ({ unknown, refunds }) => unknown.length === 0 && refunds === 0,
  );
  const [charges, kept, aside] = [chargesOf(shop), await keptOf(shop), await setAsideIn(shop)];
  const found = compareBooks(promised, charges, kept);
  told(
    "acknowledged before it: links, payments",
    `${promised.links.size}, ${promised.payments.size}`,
    promised.links.size > 0 && promised.payments.size > 0,
  );
  expected("acknowledged before it and lost", found.lost, []);
  // The first eight digits of an id are the second in which it was made.
  const later = [...since.links].filter(
    (id) => Number.parseInt(id.slice(0, 8), 16) > since.from / 1_000,
  );
  told("links acknowledged after it", later.length, later.length > 0);
  expected(
    "of these in the restored database",
    later.filter((id) => kept.links.has(id)),
    [],
  );
  const paidSince = charges.filter(({ attempt }) => !promised.payments.has(attempt));
  told("charges after it: booked", paidSince.length - aside.size, paidSince.length > aside.size);
  told("charges after it, for links made after it: set aside", aside.size, aside.size > 0);
  expected(
    "charges neither booked nor set aside",
    found.unbooked.filter((line) => !aside.has(line.slice(0, 24))),
    [],
  );
  expected("set aside, though their link is known", knownLinks(shop, aside, kept.links), []);
  const cause = new Map(kept.payments.map((payment) => [payment.cause, payment]));
  expected(
    "links made before it and paid after it, not paid now",
    [...since.stock].filter((id) => !cause.has(id)),
    [],
  );
  expected("charges at the gateway since the restore", charges.length - since.charges, 0);
  expected("charged or booked twice", found.doubled, []);
  expected("payments that the gateway lacks", found.invented, []);
  expected(
    "refunds after it that are not booked",
    since.refunded.length - (await refundsOf(since.refunded)),
    0,
  );
  const { entries, lopsided, disagreeing } = await unscopedLedgerState();
  told("ledger entries", entries, entries > 0);
  expected(
    "postings that do not sum to zero, payments booked otherwise",
    [lopsided, disagreeing],
    [0, 0],
  );
}

function knownLinks(
  { bank }: GatewayShop,
  aside: ReadonlySet<string>,
  links: ReadonlyMap<string, string>,
): string[] {
  return bank.intents
    .filter(({ metadata }) => aside.has(metadata.kutip_attempt ?? ""))
    .map(({ metadata }) => metadata[linkKey] ?? "")
    .filter((link) => links.has(link));
}

async function refundsOf(payments: readonly string[]): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from payments where id = any(${sql.param([...payments])}::text[]) and refunded_amount = ${REFUND_AMOUNT}`,
  );
  return rows[0]?.n ?? 0;
}

/** The same where Kutip was not informed of the restore: it charges again, and lacks what payers paid meanwhile. */
export async function compareUninformed(shop: GatewayShop, charges: number): Promise<void> {
  await settle(shop, [], () => true);
  const again = chargesOf(shop).length - charges;
  told("not informed: charges made again", again, again > 0);
  const lacking = (await unknownOf(shop)).length;
  told("not informed: charges that Kutip lacks", lacking, lacking > 0);
}
