import { TEST_EVENT_TYPE } from "@/lib/contract/events";
import type { Page } from "@/lib/contract/envelope";
import { webhookLimits } from "@/lib/contract/values";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type {
  WebhookDelivery,
  WebhookEndpointInput,
  WebhookEndpointQuery,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret,
} from "@/lib/contract/webhooks";
import { isoOf } from "@/lib/kernel/clock";
import { newId } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { notifyChange } from "@/db/changes";
import type { Tx } from "@/db/client";
import { lockBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { assertSeen, editOf } from "../versions/edits";
import { assertAddress } from "./address";
import { presentDelivery, presentEndpoint } from "./present";
import {
  changeEndpoint,
  changeSecret,
  countEndpoints,
  disableEndpoint,
  enableEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  insertTestDelivery,
  listEndpoints,
  lockEndpoint,
  markDeleted,
} from "./rows";
import { newSecret } from "./secrets";

const told = (list: readonly string[] | undefined) =>
  list === undefined || list.includes("*") ? null : [...list];

/** Creates an endpoint that gets the events from now on. Only this answer has its secret. Throws 422 on an address that is refused, and 409 when there are enough: each costs a row an event. */
export async function create(
  ctx: Ctx,
  input: WebhookEndpointInput,
): Promise<WebhookEndpointWithSecret> {
  assertAddress(input);
  const { secret, sealed } = newSecret();
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    if ((await countEndpoints(ctx, {}, tx)) >= webhookLimits.endpoints)
      throw conflict(
        `There are already ${webhookLimits.endpoints} webhook endpoints. Delete one first.`,
      );
    const { url, description, events, enabled, ...unwritten } = input;
    const row = await insertEndpoint(ctx, tx, {
      url,
      description: description ?? null,
      events: told(events),
      enabled: enabled ?? true,
      secret: sealed,
      // A field of the contract that is missing above does not compile.
      ...(unwritten satisfies Record<string, never>),
    });
    await notifyChange(tx, ctx, "webhook_endpoint.created", row.id);
    return { ...presentEndpoint(row), secret };
  });
}

export async function list(
  ctx: Ctx,
  query: WebhookEndpointQuery,
  search: URLSearchParams,
): Promise<Page<WebhookEndpoint>> {
  return listPage(ctx, {
    path: "/webhook-endpoints",
    search,
    query,
    present: presentEndpoint,
    fetch: (walk) => listEndpoints(ctx, query, walk),
    count: () => countEndpoints(ctx, query),
  });
}

/** One endpoint. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<WebhookEndpoint> {
  const row = await findEndpoint(ctx, id);
  if (!row) throw notFound();
  return presentEndpoint(row);
}

async function locked(ctx: Ctx, tx: Tx, id: string): Promise<EndpointRow> {
  const row = await lockEndpoint(ctx, tx, id);
  if (!row) throw notFound();
  return row;
}

/** Changes what is named; disabling stops its retries. Throws 404, and 422 on an address that is refused. */
export async function update(
  ctx: Ctx,
  id: string,
  input: WebhookEndpointUpdate,
): Promise<WebhookEndpoint> {
  assertAddress(input);
  return commit(ctx, async (tx) => {
    const before = await locked(ctx, tx, id);
    await assertSeen(ctx, tx, before, () => presentEndpoint(before));
    const {
      url,
      description,
      events,
      enabled = before.enabled,
      version: _version,
      // A field of the contract that is missing here does not compile.
      ...unwritten
    } = input;
    const values = {
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(events === undefined ? {} : { events: told(events) }),
      ...(unwritten satisfies Record<string, never>),
    };
    if (ctx.audit && url !== undefined) ctx.audit.details.url_changed = url !== before.url;
    let row = await changeEndpoint(ctx, tx, id, {
      ...values,
      ...editOf(ctx, before, { ...values, enabled }),
    });
    if (input.enabled === true && !before.enabled) row = await enableEndpoint(ctx, tx, id);
    if (input.enabled === false && before.enabled) row = await disableEndpoint(ctx, tx, id, null);
    await notifyChange(tx, ctx, "webhook_endpoint.updated", id);
    return presentEndpoint(row);
  });
}

/** Takes it out, stops what waits for it and returns it as it last was. Throws 404. */
export async function remove(ctx: Ctx, id: string): Promise<WebhookEndpoint> {
  return commit(ctx, async (tx) => {
    const before = await locked(ctx, tx, id);
    await assertSeen(ctx, tx, before, () => presentEndpoint(before));
    await markDeleted(ctx, tx, id);
    await notifyChange(tx, ctx, "webhook_endpoint.deleted", id);
    return presentEndpoint(before);
  });
}

/** A new secret; those before it sign too, each for a day after it was replaced. Throws 404. */
export async function rotate(ctx: Ctx, id: string): Promise<WebhookEndpointWithSecret> {
  const { secret, sealed } = newSecret();
  return commit(ctx, async (tx) => {
    const row = await changeSecret(ctx, tx, await locked(ctx, tx, id), sealed);
    await notifyChange(tx, ctx, "webhook_endpoint.rotated", id);
    return { ...presentEndpoint(row), secret };
  });
}

/** Puts a test event on its way to this endpoint alone. Throws 404, and 409 while it is disabled. */
export async function sendTest(ctx: Ctx, id: string): Promise<WebhookDelivery> {
  return commit(ctx, async (tx) => {
    const endpoint = await locked(ctx, tx, id);
    if (!endpoint.enabled) throw conflict("The webhook endpoint is disabled.");
    const event = {
      _id: newId(),
      type: TEST_EVENT_TYPE,
      mode: ctx.mode,
      created_at: isoOf(new Date()),
      data: { ...presentEndpoint(endpoint) },
    };
    const row = await insertTestDelivery(ctx, tx, id, event);
    return presentDelivery({ ...row, redeliverable: true });
  });
}
