import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import { webhookLimits } from "@/lib/contract/values";
import type {
  RedeliverInput,
  ReplayInput,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryQuery,
} from "@/lib/contract/webhooks";
import { assertNone, conflict, type FieldErrors, invalid, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { findEvent, isKept } from "../events/rows";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { bodyOf } from "./body";
import { presentDelivery } from "./present";
import { withRedeliverable } from "./redeliverable-rows";
import {
  attemptsOf,
  countDeliveries,
  deliverAgain,
  endpointsFor,
  findDelivery,
  findEndpoint,
  listDeliveries,
  lockEndpoint,
  replay as replayRange,
  restartDelivery,
  type WholeDelivery,
} from "./rows";

/** A page of deliveries of this mode. */
export async function list(
  ctx: Ctx,
  query: WebhookDeliveryQuery,
  search: URLSearchParams,
  path = "/webhook-deliveries",
): Promise<Page<WebhookDelivery>> {
  return listPage(ctx, {
    path,
    search,
    query,
    readsAll: setsOneOf(query, "status", "type"),
    present: presentDelivery,
    fetch: async (walk) => withRedeliverable(ctx, await listDeliveries(ctx, query, walk)),
    count: () => countDeliveries(ctx, query),
  });
}

/** A page of the deliveries to one endpoint. Throws 404. */
export async function listOf(
  ctx: Ctx,
  endpointId: string,
  query: WebhookDeliveryQuery,
  search: URLSearchParams,
): Promise<Page<WebhookDelivery>> {
  if (!(await findEndpoint(ctx, endpointId))) throw notFound();
  return list(
    ctx,
    { ...query, webhook_endpoint_id: endpointId },
    search,
    `/webhook-endpoints/${endpointId}/deliveries`,
  );
}

async function found(ctx: Ctx, id: string): Promise<WholeDelivery> {
  const row = await findDelivery(ctx, id);
  if (!row) throw notFound();
  return row;
}

/** A delivery with what is sent and its attempts. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<WebhookDeliveryDetail> {
  const { delivery, endpoint, event } = await found(ctx, id);
  const history = await attemptsOf(ctx, id);
  const body = bodyOf(delivery.testEvent, event);
  const redeliverable = endpoint.enabled && endpoint.deletedAt === null && body !== null;
  return {
    ...presentDelivery({ ...delivery, redeliverable }),
    url: endpoint.url,
    body,
    history: history.map((row) => ({
      number: row.number,
      status_code: row.statusCode,
      error: row.error,
      response: row.response,
      duration_ms: row.durationMs,
      created_at: row.startedAt,
    })),
  };
}

const disabled = () => conflict("The webhook endpoint is disabled.");

/** Sends a delivery again at once. Throws 404, and 409 when its endpoint takes nothing or its event is not kept. */
export async function redeliver(ctx: Ctx, id: string): Promise<WebhookDelivery> {
  const { delivery } = await found(ctx, id);
  return commit(ctx, async (tx) => {
    const endpoint = await lockEndpoint(ctx, tx, delivery.endpointId);
    if (!endpoint) throw conflict("The webhook endpoint is deleted.");
    if (!endpoint.enabled) throw disabled();
    if (!delivery.testEvent && !(await isKept(ctx, tx, delivery.eventId)))
      throw conflict("The event of this delivery is not kept any more.");
    const row = await restartDelivery(ctx, tx, id);
    if (!row) throw notFound();
    return presentDelivery({ ...row, redeliverable: true });
  });
}

/** Sends an event again to all endpoints that subscribe to its type, or to one endpoint. Throws 404, 409, and 422 on an endpoint that is not there. */
export async function redeliverEvent(
  ctx: Ctx,
  eventId: string,
  input: RedeliverInput,
): Promise<{ event_id: string; deliveries: WebhookDelivery[] }> {
  const event = await findEvent(ctx, eventId);
  if (!event) throw notFound();
  const named = input.webhook_endpoint_id;
  return commit(ctx, async (tx) => {
    const endpoint = named === undefined ? undefined : await lockEndpoint(ctx, tx, named);
    if (named !== undefined && !endpoint)
      throw invalid({ webhook_endpoint_id: ["The selected webhook endpoint id is invalid."] });
    if (endpoint && !endpoint.enabled) throw disabled();
    const to = endpoint ? [endpoint] : await endpointsFor(ctx, tx, event.type);
    const rows = await deliverAgain(
      ctx,
      tx,
      event,
      to.map(({ id }) => id),
    );
    return {
      event_id: eventId,
      deliveries: rows.map((row) => presentDelivery({ ...row, redeliverable: true })),
    };
  });
}

/** What speaks against a range: that it has no beginning, or an event to go on from that is not there. */
export async function rangeObjections(
  ctx: Ctx,
  { from, after }: Pick<ReplayInput, "from" | "after">,
): Promise<FieldErrors> {
  if (after !== undefined)
    return (await findEvent(ctx, after)) ? {} : { after: ["The selected after is invalid."] };
  return from === undefined
    ? { from: ["The from field is required when after is not present."] }
    : {};
}

/** Sends the events of a range to one endpoint, in the order of the log. Throws 404, 409, and 422 on an event that is not there or a range without a bound. */
export async function replay(
  ctx: Ctx,
  endpointId: string,
  input: ReplayInput,
): Promise<{ webhook_endpoint_id: string; deliveries: number }> {
  if (!(await findEndpoint(ctx, endpointId))) throw notFound();
  const { from, to, after, undelivered = false } = input;
  assertNone(await rangeObjections(ctx, input));
  const behind = after === undefined ? undefined : await findEvent(ctx, after);
  return commit(ctx, async (tx) => {
    const endpoint = await lockEndpoint(ctx, tx, endpointId);
    if (!endpoint) throw notFound();
    if (!endpoint.enabled) throw disabled();
    const count = await replayRange(
      ctx,
      tx,
      endpoint,
      { from, to, after: behind, undelivered },
      webhookLimits.replayed,
    );
    if (count > webhookLimits.replayed)
      throw conflict(
        `There are more than ${webhookLimits.replayed.toLocaleString("en")} events in this range: choose a shorter one.`,
      );
    return { webhook_endpoint_id: endpointId, deliveries: count };
  });
}
