import type { Tx } from "@/db/client";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { previousOf } from "@/lib/domain/events/changes";
import { emit } from "@/lib/domain/events/emit";
import type { EventRow } from "@/lib/domain/events/rows";
import { refusalBy } from "@/lib/domain/gateway-connections/amounts";
import { get } from "@/lib/domain/subscriptions/get";
import { type PeriodRow, periodsWithNews } from "@/lib/domain/subscriptions/period-rows";
import { changeSubscription, lockSubscription } from "@/lib/domain/subscriptions/rows";
import {
  subscriptionsOf,
  enqueuePaid,
  enqueueWaiting,
  enqueueOpenPeriod,
} from "@/lib/domain/subscriptions/enqueue-rows";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { find as findTokenization } from "@/lib/domain/tokenizations/rows";

/** The objects of the events of these types. */
export const about = (found: readonly EventRow[], ...types: string[]): string[] =>
  found.filter((event) => types.includes(event.type)).map((event) => event.objectId);

/**
 * Makes the periods due that these events of a business concern: their payment or link has an outcome, or their payer saved a method.
 * `clockId` keeps it to what follows that clock. Subscriptions are locked before periods. Returns the periods, of saved methods those under test clocks.
 */
export async function enqueue(
  tx: Tx,
  businessId: number,
  found: readonly EventRow[],
  requestId: string,
  clockId?: string,
): Promise<PeriodRow[]> {
  const due: PeriodRow[] = [];
  for (const event of found)
    if (event.type === "tokenization.activated")
      due.push(
        ...(await attachPaymentMethod(
          systemCtx(event, { kind: "clock" }, requestId),
          tx,
          event,
          clockId,
        )),
      );
  due.push(
    ...(await enqueueWaiting(
      tx,
      businessId,
      about(found, "payment.succeeded", "payment.failed"),
      clockId,
    )),
  );
  due.push(...(await enqueuePaid(tx, businessId, about(found, "payment_link.paid"), clockId)));
  return due;
}

/**
 * A payer saved a method: those of their subscriptions remember it that its gateway can charge, and an open period is charged with it at once.
 * Returns those under test clocks, also when the event was consumed before.
 */
async function attachPaymentMethod(
  ctx: Ctx,
  tx: Tx,
  event: EventRow,
  clockId: string | undefined,
): Promise<PeriodRow[]> {
  const { email } = event.data as Pick<Tokenization, "email">;
  const { objectId } = event;
  const gateway = (await findTokenization(ctx, objectId, tx))?.gateway;
  for (const id of await subscriptionsOf(ctx, tx, email, objectId, { clockId })) {
    const before = await lockSubscription(ctx, tx, id);
    // Asked again under the lock: it may have ended, or have another payer or a newer method by now.
    const [still] = await subscriptionsOf(ctx, tx, email, objectId, { id });
    if (!before || !still) continue;
    const at = await atClock(ctx, tx, before.testClockId);
    const was = await get(at, id, tx);
    // The method that it has goes on.
    if (gateway && refusalBy(gateway, was.package) !== null) continue;
    await changeSubscription(at, tx, id, { tokenizationId: objectId });
    await enqueueOpenPeriod(at, tx, id);
    const data = await get(at, id, tx);
    await emit(at, tx, {
      type: "subscription.updated",
      objectId: id,
      data,
      previous: previousOf(was, data),
    });
  }
  return periodsWithNews(ctx, tx, objectId);
}
