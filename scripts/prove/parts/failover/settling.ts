import { hurryPayments, openWork } from "../open-work";
import { expected, told, waitWhileMoving } from "../proof";
import { compareBooks } from "./books";
import { chargesOf, type GatewayShop, keptOf, renewalsOf } from "./shop";
import type { Seen } from "./traders";

const STILL_SECONDS = 60;

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
