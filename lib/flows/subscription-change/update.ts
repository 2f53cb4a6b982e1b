import { nowOf } from "@/db/columns";
import type { Subscription, SubscriptionUpdate } from "@/lib/contract/subscriptions";
import type { Ctx } from "@/lib/domain/context";
import { previousOf } from "@/lib/domain/events/changes";
import { emit } from "@/lib/domain/events/emit";
import { commit } from "@/lib/domain/idempotency/commit";
import { get } from "@/lib/domain/subscriptions/get";
import {
  changeSubscription,
  lockSubscription,
  type SubscriptionRow,
} from "@/lib/domain/subscriptions/rows";
import { assertNotCancelled, sameAddress } from "@/lib/domain/subscriptions/rules";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { assertSeen, editOf } from "@/lib/domain/versions/edits";
import { notFound } from "@/lib/kernel/problem";
import { end, releaseAtGateway } from "./end";

/** Changes what is given: an absent field stays, `phone_no: null` clears, `status` cancels for good, with a mail to the payer unless `mail` is false. Throws 404, 409. */
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
    if (Object.keys(change).length > 0) {
      await changeSubscription(ctx, tx, id, { ...change, ...edit });
      const data = await get(ctx, id, tx);
      await emit(ctx, tx, {
        type: "subscription.updated",
        objectId: id,
        data,
        previous: own(was, data),
      });
    }
    if (input.status !== "cancel") return get(ctx, id, tx);
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
      previous: own(was, cancelled),
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
  if (email !== undefined && !sameAddress(email, before.email)) change.tokenizationId = null;
  return change;
}
