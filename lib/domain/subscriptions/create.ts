import type { Subscription, SubscriptionInput } from "@/lib/contract/subscriptions";
import { db, type Executor } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import { type FieldErrors, invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { addSubscriber, validateSubscribing } from "../packages/subscribers";
import { atClock, findClock, lockClock } from "../test-clocks/rows";
import { activeTokenOf } from "../tokenizations/rows";
import { anchorOf, plannedPeriod } from "./plan";
import { insertPeriod, zoneAndNow } from "./period-rows";
import { presentSubscription } from "./present";
import { insertSubscription } from "./rows";

/** What speaks against the package and the test clock that are named, both at once. */
export async function validateAgainstRecords(
  ctx: Ctx,
  { package_id: packageId, test_clock_id: clockId }: Partial<SubscriptionInput>,
  on: Executor = db,
): Promise<FieldErrors> {
  return {
    ...(packageId === undefined ? {} : await validateSubscribing(ctx, packageId, on)),
    ...(clockId === undefined || (await findClock(ctx, clockId, on))
      ? {}
      : { test_clock_id: ["The selected test clock id is invalid."] }),
  };
}

/** The columns that the caller gives as they are. */
function valuesOf(input: SubscriptionInput) {
  const {
    email,
    phone_no,
    package_id: _package,
    test_clock_id: _clock,
    // A field of the contract that is missing here does not compile.
    ...unwritten
  } = input;
  return {
    email,
    phoneNo: phone_no ?? null,
    ...(unwritten satisfies Record<string, never>),
  };
}

/**
 * Subscribes a payer to a package and plans the first period; charging comes later. Throws 422 on `package_id` for a package that takes no
 * subscribers or cannot be charged, and on `test_clock_id` for an unknown clock.
 */
export async function create(caller: Ctx, input: SubscriptionInput): Promise<Subscription> {
  return commit(caller, async (tx) => {
    const clock =
      input.test_clock_id === undefined
        ? undefined
        : await lockClock(caller, tx, input.test_clock_id, "key share");
    if (input.test_clock_id !== undefined && !clock)
      throw invalid(await validateAgainstRecords(caller, input, tx));
    const ctx = await atClock(caller, tx, clock?.id ?? null);
    const subscribedTo = await addSubscriber(ctx, tx, input.package_id);
    const { timeZone, now } = await zoneAndNow(ctx, tx);
    const id = newId();
    const anchor = anchorOf(subscribedTo, timeZone, now);
    const first = plannedPeriod(
      {
        subscription: { id, anchor, testClockId: clock?.id ?? null },
        package: subscribedTo,
        timeZone,
        now,
      },
      0,
    );
    const row = await insertSubscription(ctx, tx, id, {
      packageId: subscribedTo.id,
      ...valuesOf(input),
      tokenizationId: await activeTokenOf(ctx, tx, input.email, subscribedTo),
      anchor,
      testClockId: clock?.id ?? null,
      nextChargeAt: first.dueAt,
    });
    await insertPeriod(ctx, tx, first);
    const data = presentSubscription({ ...row, package: subscribedTo, links: [] });
    await emit(ctx, tx, { type: "subscription.created", objectId: row.id, data });
    return data;
  });
}
