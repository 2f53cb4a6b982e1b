import type { Tx } from "@/db/client";
import { nowOf } from "@/db/columns";
import type { Subscription, SubscriptionUpdate } from "@/lib/contract/subscriptions";
import type { Ctx } from "@/lib/domain/context";
import { previousOf } from "@/lib/domain/events/changes";
import { emit } from "@/lib/domain/events/emit";
import { commit } from "@/lib/domain/idempotency/commit";
import { readdressPeriodLinks } from "@/lib/domain/payment-links/readdress";
import { get } from "@/lib/domain/subscriptions/get";
import { awaitLink, awaitPayment, zoneAndNow } from "@/lib/domain/subscriptions/period-rows";
import { daysLater } from "@/lib/domain/subscriptions/periods";
import { overdueAfterDays } from "@/lib/domain/subscriptions/plan";
import {
  changeSubscription,
  lockSubscription,
  type SubscriptionRow,
  payerFromNow,
} from "@/lib/domain/subscriptions/rows";
import { assertNotCancelled, sameAddress } from "@/lib/domain/subscriptions/rules";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { assertSeen, editOf } from "@/lib/domain/versions/edits";
import { notFound } from "@/lib/kernel/problem";
import { end, releaseAtGateway } from "./end";

/**
 * Changes what is given: an absent field stays, `phone_no: null` clears, `status` cancels for good. The new payer of an open period, and the payer of
 * a cancelled subscription, get a mail unless `mail` is false. Throws 404, 409.
 */
export async function update(
  caller: Ctx,
  id: string,
  input: SubscriptionUpdate,
  { mail = true }: { mail?: boolean } = {},
): Promise<Subscription> {
  let atGateway: string[] = [];
  const data = await commit(caller, async (tx) => {
    const before = await lockSubscription(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    const was = await get(ctx, id, tx);
    await assertSeen(ctx, tx, before, () => was);
    assertNotCancelled(before);
    const change = changeOf(before, input);
    const edit = editOf(ctx, before, input.status ? { ...change, status: input.status } : change);
    let current = was;
    if (Object.keys(change).length > 0) {
      const period = await changeOpenPeriod(ctx, tx, before, change);
      await changeSubscription(ctx, tx, id, { ...change, ...period.change, ...edit });
      current = await get(ctx, id, tx);
      await emit(ctx, tx, {
        type: "subscription.updated",
        objectId: id,
        data: current,
        previous: own(was, current),
        mail: mail && period.asks && input.status === undefined ? "payment_due" : null,
      });
    }
    if (input.status !== "cancel") return current;
    await changeSubscription(ctx, tx, id, {
      ...edit,
      status: "cancel",
      cancelledAt: nowOf(ctx),
      nextChargeAt: null,
    });
    atGateway = await end(ctx, tx, before);
    const cancelled = await get(ctx, id, tx);
    await emit(ctx, tx, {
      type: "subscription.cancelled",
      objectId: id,
      data: cancelled,
      previous: own(current, cancelled),
      mail: mail ? "subscription_cancelled" : null,
    });
    return cancelled;
  });
  await releaseAtGateway(caller, atGateway);
  return data;
}

/** The subscription's own fields: its links have events of their own. */
const own = (
  { payment_links: _was, ...was }: Subscription,
  { payment_links: _is, ...is }: Subscription,
) => previousOf(was, is);

/**
 * The open period follows its subscription to another payer: the link is theirs, and the method of the payer before is not tried again. `asks`: the
 * link waits for a payer who has no mail about it. Locks the period before its links.
 */
async function changeOpenPeriod(
  ctx: Ctx,
  tx: Tx,
  before: SubscriptionRow,
  change: Partial<SubscriptionRow>,
): Promise<{ change: Partial<SubscriptionRow>; asks: boolean }> {
  const { email, phoneNo } = change;
  const payer = {
    ...(email === undefined ? {} : { email }),
    ...(phoneNo === undefined ? {} : { phoneNo }),
  };
  const waits =
    email !== undefined && !sameAddress(email, before.email)
      ? await awaitLink(
          ctx,
          tx,
          before.id,
          daysLater((await zoneAndNow(ctx, tx)).now, overdueAfterDays),
        )
      : false;
  const links = await readdressPeriodLinks(ctx, tx, before.id, payer);
  if (!waits) return { change: {}, asks: false };
  // The link takes no other payment meanwhile, so the new payer is asked once this one fails.
  const paid = links.find(({ status }) => status === "Processing")?.openPaymentId;
  if (paid) await awaitPayment(ctx, tx, before.id, paid);
  return {
    change: { nextChargeAt: null },
    asks: links.some(({ status }) => status === "Active"),
  };
}

/** What a PUT changes besides the status. Another address forgets the saved method: no method was saved for this subscription at that address. */
function changeOf(before: SubscriptionRow, input: SubscriptionUpdate): Partial<SubscriptionRow> {
  const {
    email,
    phone_no,
    status: _status,
    version: _version,
    // A field of the contract that is missing here does not compile.
    ...unwritten
  } = input;
  const given = {
    email,
    phoneNo: phone_no,
    ...(unwritten satisfies Record<string, never>),
  };
  const change: Partial<SubscriptionRow> = Object.fromEntries(
    Object.entries(given).filter(
      ([column, value]) => value !== undefined && value !== before[column as keyof typeof given],
    ),
  );
  if (email === undefined || sameAddress(email, before.email)) return change;
  return { ...change, tokenizationId: null, payerSince: payerFromNow() };
}
