import { expect, test } from "vitest";
import { withTransaction } from "@/db/client";
import { endPaymentSearch, readPaymentSearch, searchConnected } from "@/db/settings";
import { findLink } from "@/lib/domain/payment-links/rows";
import { connect, revoke as disconnect } from "@/lib/flows/connecting/steps";
import { searchPayments } from "@/lib/flows/payment-search/steps";
import { newId } from "@/lib/kernel/ids";
import { newBusiness, newStripeShop, paymentsOf } from "./money/stripe-setting";
import {
  atSource,
  backUp,
  changeSearch,
  goBack,
  newLinkId,
  payFor,
  peer,
  search,
} from "./restore-setting";

test.each(["was not connected", "was revoked"])(
  "what was paid by an account that %s when the backup was made is found once the account is connected, long after the search",
  async (state) => {
    await atSource();
    const other = await newStripeShop(peer);
    const ctx = await newBusiness();
    const secretKey = `sk_test_${newId()}`;
    const connectIt = async () => (await connect(ctx, { secret_key: secretKey }))._id;
    if (state === "was revoked") await disconnect(ctx, await connectIt());
    const shop = { ...other, ctx, bank: peer.bank(secretKey), secretKey };
    const linkId = await newLinkId(shop);
    await backUp();
    await connectIt();
    const id = await payFor(shop, linkId);

    await goBack(false);
    await changeSearch({ restored_at: new Date(Date.now() - 29 * 86_400_000).toISOString() });
    await search();
    expect([await readPaymentSearch(), await paymentsOf(shop)]).toEqual([undefined, []]);
    expect(await searchPayments("restore-test")).toBe(0);
    await connectIt();
    expect(await searchPayments("restore-test")).toBe(1);
    expect((await paymentsOf(shop)).map((row) => [row.id, row.status])).toEqual([
      [id, "succeeded"],
    ]);
    expect((await findLink(ctx, linkId))?.status).toBe("Paid");
    expect(await readPaymentSearch()).toBeUndefined();
  },
);

test("an account that is connected while the last search ends is searched next", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  await backUp();
  await goBack(false);
  await changeSearch({ restored_at: new Date(Date.now() - 86_400_000).toISOString() });
  const ending = await readPaymentSearch();
  if (!ending) throw new Error("there is no search");
  await withTransaction((tx) => searchConnected(tx, shop.connectionId));
  await endPaymentSearch(ending);
  expect(await readPaymentSearch()).toMatchObject({ connected: [shop.connectionId] });
  await search();
  expect(await readPaymentSearch()).toBeUndefined();
});
