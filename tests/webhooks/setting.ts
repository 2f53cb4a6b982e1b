import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { db, withTransaction } from "@/db/client";
import type { EventType } from "@/lib/contract/events";
import type { Ctx } from "@/lib/domain/context";
import { insertEvent } from "@/lib/domain/events/rows";
import { defineWebhookDelivery, webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { insertEndpoint } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { createRunner, type Runner } from "@/lib/jobs/runner";
import { newId } from "@/lib/kernel/ids";
import { runOnce } from "../run-once";

/** An endpoint on this machine, which the API would refuse. */
export async function endpointAt(
  ctx: Ctx,
  url: string,
  events: EventType[] | null = null,
): Promise<{ id: string; secret: string }> {
  const { secret, sealed } = newSecret();
  const { id } = await withTransaction((tx) =>
    insertEndpoint(ctx, tx, { url, description: null, events, enabled: true, secret: sealed }),
  );
  return { id, secret };
}

/** So many changes happen. Returns the ids of their events in order. */
export async function happen(
  ctx: Ctx,
  count = 1,
  type: EventType = "package.created",
): Promise<string[]> {
  for (let made = 0; made < count; made++)
    await insertEvent(ctx, db, {
      type,
      objectId: newId(),
      data: { name: `Ünïcode ${made}`, amount: made, nested: { b: [1, null], a: "x" } },
    });
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from events where business_id = ${ctx.businessId} order by xid desc, seq desc limit ${count}`,
  );
  return rows.map(({ id }) => id).reverse();
}

const soon = Array.from({ length: 9 }, () => 0.02);

/** Delivers the webhooks of one business as a worker does, retries within moments. */
export function runnerOf(
  ctx: Ctx,
  retrySeconds: readonly number[] = soon,
  sender = createSender({ allowPrivate: true, deadlineMs: 2_000 }),
): Runner {
  const job = defineWebhookDelivery({ sender, retrySeconds });
  return createRunner(job, { only: ctx.businessId });
}

/** Works until a value is as expected. */
export async function until<T>(
  { poll }: Pick<Runner, "poll">,
  read: () => Promise<T> | T,
  wanted: T,
): Promise<void> {
  await expect
    .poll(
      async () => {
        await runOnce(webhookFanOut);
        await poll("test");
        return read();
      },
      { timeout: 60_000, interval: 20 },
    )
    .toEqual(wanted);
}

export type Delivery = {
  id: string;
  event_id: string;
  endpoint_id: string;
  status: string;
  attempts: number;
  tries: number;
  fence: number;
  last_error: string | null;
};

export async function deliveriesOf(ctx: Ctx): Promise<Delivery[]> {
  const { rows } = await db.execute<Delivery>(sql`
    select d.id, event_id, endpoint_id, status, attempts, tries, fence, last_error from webhook_deliveries d where d.business_id = ${ctx.businessId} order by d.created_at, d.id`);
  return rows;
}

/** Each state and how many are in it. */
export async function states(ctx: Ctx): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { status } of await deliveriesOf(ctx)) found[status] = (found[status] ?? 0) + 1;
  return found;
}

/** The time of a worker that was killed is over. */
export async function leasesEnd(ctx: Ctx): Promise<void> {
  await db.execute(
    sql`update webhook_endpoints set leased_until = now() where business_id = ${ctx.businessId}`,
  );
  await db.execute(
    sql`update webhook_deliveries set leased_until = now() where business_id = ${ctx.businessId} and leased_until is not null`,
  );
}
