import { hurryPayments, openWork } from "../open-work";
import { expected, told, waitWhileMoving } from "../proof";
import { compareBooks } from "./books";
import {
  chargesOf,
  type GatewayShop,
  keptOf,
  keptRefunds,
  refundsAtGateway,
  renewalsOf,
} from "./shop";
import type { Seen } from "./traders";

// A gateway that was in trouble is asked again after two minutes at the latest.
const STILL_SECONDS = 180;

/** Every payment gets an outcome, and every renewal is charged. */
export async function settle(shop: GatewayShop): Promise<void> {
  const look = async () => {
    await hurryPayments();
    return { open: await openWork(), ...(await renewalsOf(shop)) };
  };
  const left = await waitWhileMoving(
    // A row may be locked for longer than a statement waits: the next look finds it free.
    () => look().catch((error: Error) => ({ open: [String(error.cause)], paid: 0, due: 0 })),
    ({ open, due }) => open.length === 0 && due === 0,
    STILL_SECONDS,
  );
  told("renewals charged", left.paid, left.paid > 0);
}

/** Nothing acknowledged is lost, and the books agree with the gateway's. */
export async function compare(shop: GatewayShop, seen: Seen): Promise<void> {
  const charges = chargesOf(shop);
  const found = compareBooks(
    { links: seen.links, payments: seen.paid },
    charges,
    await keptOf(shop),
  );
  told("links and payments acknowledged", `${seen.links.size}, ${seen.paid.size}`);
  expected("acknowledged and lost", found.lost, []);
  told("charges in the gateway's books", charges.length, charges.length > 0);
  expected("charged twice", found.doubled, []);
  expected("charges that Kutip lacks", found.unbooked, []);
  expected("payments that the gateway lacks", found.invented, []);
  expected("requests and answers that are not Stripe's", shop.peer.problems, []);
}

/** Each refund that was acknowledged is there, and the refunds are those of the gateway. */
export async function compareRefunds(shop: GatewayShop, seen: Seen): Promise<void> {
  const given = refundsAtGateway(shop);
  const found = compareBooks({ links: new Map(), payments: seen.refunds }, given, {
    links: new Map(),
    payments: await keptRefunds(shop),
  });
  told("refunds acknowledged", seen.refunds.size, seen.refunds.size > 0);
  expected("refunds acknowledged and lost", found.lost, []);
  told("refunds in the gateway's books", given.length, given.length > 0);
  expected("refunded twice", found.doubled, []);
  expected("refunds that Kutip lacks", found.unbooked, []);
  expected("refunds that the gateway lacks", found.invented, []);
}
