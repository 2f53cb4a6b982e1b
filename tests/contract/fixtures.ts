import { book } from "@/lib/domain/ledger/posting-rows";
import { nowSql } from "@/db/columns";
import { db, pool, withTransaction } from "@/db/client";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleBody } from "@/lib/contract/examples";
import { insertBatch, insertItems } from "@/lib/domain/batches/rows";
import { packageExample } from "@/lib/contract/packages";
import { findConnection } from "@/lib/domain/gateway-connections/rows";
import type { Ctx } from "@/lib/domain/context";
import { insertCustomer } from "@/lib/domain/customers/rows";
import { insertEvent } from "@/lib/domain/events/rows";
import { addToCounts, insertPackage } from "@/lib/domain/packages/rows";
import { writeLink } from "@/lib/domain/payment-links/create";
import { changeLink, type LinkRow } from "@/lib/domain/payment-links/rows";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { create as refund } from "@/lib/flows/refund/steps";
import { insertPayment } from "@/lib/domain/payments/rows";
import { settleIn } from "@/lib/domain/payments/settle";
import { insertSubscription } from "@/lib/domain/subscriptions/rows";
import { insertClock } from "@/lib/domain/test-clocks/rows";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { changeTokenization } from "@/lib/domain/tokenizations/rows";
import { insertEndpoint, insertTestDelivery } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { saveScriptedMethod } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { seal, unseal } from "@/lib/kernel/secrets";

/** How the tests come by a record of a noun, named by its path parameter: made through the noun's own rows in a given business and mode. */
type Noun = { table: string; make: (ctx: Ctx) => Promise<{ id: string; addresses: string[] }> };

const only = (id: string) => ({ id, addresses: [id] });

async function makeLink(ctx: Ctx): Promise<LinkRow> {
  const values = {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1250,
    title: "Invoice",
    phoneNo: null,
    description: null,
    redirectUrl: null,
    reference: "INV-1",
    reference2: null,
    sendEmail: true,
    expiresAt: null,
    dueAt: null,
    reminders: null,
  };
  return writeLink(ctx, values, null);
}

/** A payment recorded by hand. */
async function makePaid(ctx: Ctx): Promise<{ id: string }> {
  return { id: (await recordManualPayment(ctx, (await makeLink(ctx)).id, { method: "cash" }))._id };
}

/** Records that a nested list holds: a parent with two of them. */
export const children: Record<string, (ctx: Ctx) => Promise<{ parent: string; ids: string[] }>> = {
  listRefunds: async (ctx) => {
    const { id } = await makePaid(ctx);
    return {
      parent: id,
      ids: [
        (await refund(ctx, id, { amount: 100 }))._id,
        (await refund(ctx, id, { amount: 200 }))._id,
      ],
    };
  },
  listEndpointDeliveries: async (ctx) => {
    const parent = await makeEndpoint(ctx);
    return { parent, ids: [await makeDelivery(ctx, parent), await makeDelivery(ctx, parent)] };
  },
  listStatementLines: async (ctx) => {
    months += 1;
    const parent = new Date(Date.UTC(2030, months)).toISOString().slice(0, 7);
    return { parent, ids: [await makeLine(ctx, parent), await makeLine(ctx, parent)] };
  },
};

/** Months of statements are the same for all: each parent is another. */
let months = 0;

async function makeLine(ctx: Ctx, month: string): Promise<string> {
  const { id } = await makePaid(ctx);
  const posting = `dispute:${id}:${newId()}`;
  await withTransaction((tx) =>
    book({ ...ctx, now: `${month}-15T00:00:00Z` }, tx, { id, currency: "MYR" }, posting, [
      { kind: "dispute", account: "disputes", amount: 1 },
      { kind: "dispute", account: "gateway", amount: -1 },
    ]),
  );
  const { rows } = await pool().query<{ id: string }>(
    "select id from ledger_entries where posting_id = $1 and account = 'gateway'",
    [posting],
  );
  return rows[0]?.id ?? "";
}

async function makePackage(ctx: Ctx): Promise<string> {
  const terms = {
    name: "Gold",
    description: null,
    amount: 4900,
    currency: "MYR",
    frequency: "monthly",
    dateChargeStart: "2027-01-31",
  } as const;
  return (await insertPackage(ctx, db, newId(), terms)).id;
}

async function makeCustomer(ctx: Ctx): Promise<string> {
  const values = {
    email: `${newId()}@example.com`,
    name: "Ana Costa",
    phoneNo: null,
    language: null,
    notes: "Call first",
  };
  return (await insertCustomer(ctx, db, newId(), values))?.id ?? "";
}

async function makeToken(ctx: Ctx): Promise<{ id: string; token: string }> {
  const input = { email: "ana@example.com", title: "Gold", description: "The monthly fee" };
  const { _id: id, token } = await createToken(ctx, input);
  return { id, token };
}

async function makeEvent(ctx: Ctx): Promise<string> {
  await insertEvent(ctx, db, {
    type: "package.created",
    objectId: newId(),
    data: packageExample,
  });
  const { rows } = await pool().query<{ id: string }>(
    "select id from events where business_id = $1 and mode = $2 order by seq desc limit 1",
    [ctx.businessId, ctx.mode],
  );
  return rows[0]?.id ?? "";
}

async function makeEndpoint(ctx: Ctx): Promise<string> {
  const values = {
    url: "https://shop.example/webhooks",
    description: null,
    events: null,
    enabled: true,
    secret: newSecret().sealed,
  };
  return (await withTransaction((tx) => insertEndpoint(ctx, tx, values))).id;
}

async function makeDelivery(ctx: Ctx, endpointId: string): Promise<string> {
  return (
    await withTransaction((tx) =>
      insertTestDelivery(ctx, tx, endpointId, { _id: newId(), type: "webhook_endpoint.test" }),
    )
  ).id;
}

export const nouns: Record<string, Noun> = {
  payment_link_id: { table: "payment_links", make: async (ctx) => only((await makeLink(ctx)).id) },
  customer_id: { table: "customers", make: async (ctx) => only(await makeCustomer(ctx)) },
  package_id: { table: "packages", make: async (ctx) => only(await makePackage(ctx)) },
  token: {
    table: "tokenizations",
    make: async (ctx) => {
      const { id, token } = await makeToken(ctx);
      return { id, addresses: [id, token] };
    },
  },
  subscription_id: {
    table: "subscriptions",
    make: async (ctx) => {
      const packageId = await makePackage(ctx);
      return withTransaction(async (tx) => {
        await addToCounts(ctx, tx, packageId, { subscribed: 1, live: 1 });
        return only(
          (
            await insertSubscription(ctx, tx, newId(), {
              packageId,
              email: "ana@example.com",
              phoneNo: null,
              tokenizationId: null,
              anchor: "2027-01-31",
            })
          ).id,
        );
      });
    },
  },
  batch_id: {
    table: "batches",
    make: async (ctx) => {
      const { id } = await makeLink(ctx);
      return withTransaction(async (tx) => {
        const batch = await insertBatch(ctx, tx, { action: "cancel", total: 1 });
        await insertItems(tx, batch, [id]);
        return only(batch.id);
      });
    },
  },
  test_clock_id: {
    table: "test_clocks",
    make: async (ctx) =>
      only(
        (
          await insertClock(ctx, db, newId(), {
            name: "A year",
            time: "2027-01-31T09:00:00.000000Z",
          })
        ).id,
      ),
  },
  payment_id: {
    table: "payments",
    make: (ctx) =>
      withTransaction(async (tx) =>
        only(
          (
            await insertPayment(ctx, tx, {
              id: newId(),
              amount: 1250,
              currency: "MYR",
              title: "Invoice",
              gateway: "simulator",
            })
          ).id,
        ),
      ),
  },
  refund_id: {
    table: "refunds",
    make: async (ctx) => only((await refund(ctx, (await makePaid(ctx)).id, { amount: 100 }))._id),
  },
  ledger_entry_id: {
    table: "ledger_entries",
    make: async (ctx) => {
      const { id } = await makePaid(ctx);
      const { rows } = await pool().query<{ id: string }>(
        "select id from ledger_entries where payment_id = $1 limit 1",
        [id],
      );
      return only(rows[0]?.id ?? "");
    },
  },
  month: {
    table: "ledger_entries",
    make: async (ctx) => {
      await makeLine(ctx, "2026-11");
      return only("2026-11");
    },
  },
  event_id: { table: "events", make: async (ctx) => only(await makeEvent(ctx)) },
  webhook_endpoint_id: {
    table: "webhook_endpoints",
    make: async (ctx) => only(await makeEndpoint(ctx)),
  },
  webhook_delivery_id: {
    table: "webhook_deliveries",
    make: async (ctx) => only(await makeDelivery(ctx, await makeEndpoint(ctx))),
  },
};

/** Records that stand as an endpoint needs them, where a fresh one would not do. */
const ready: Record<string, (ctx: Ctx) => Promise<string>> = {
  reopenPaymentLink: async (ctx) => {
    const { id } = await makeLink(ctx);
    await withTransaction((tx) => changeLink(ctx, tx, id, { status: "Cancelled" }));
    return id;
  },
  createRefund: async (ctx) => (await makePaid(ctx)).id,
  resolvePayment: async (ctx) => {
    const { id } = await withTransaction((tx) =>
      insertPayment(ctx, tx, {
        id: newId(),
        amount: 1250,
        currency: "MYR",
        title: "Invoice",
        gateway: "simulator",
      }),
    );
    await withTransaction((tx) =>
      settleIn(ctx, tx, id, {
        kind: "succeeded",
        gatewayId: "g",
        fee: 0,
        amount: 1,
        currency: "MYR",
      }),
    );
    return id;
  },
  resolveRefund: async (ctx) => {
    const payment = await makePaid(ctx);
    const { _id } = await refund(ctx, payment.id, { amount: 100 });
    const id = newId();
    await pool().query(
      `insert into refunds (business_id, mode, id, payment_id, amount, currency, gateway, actor, status, started_at, next_check_at)
       select business_id, mode, $2, payment_id, amount, currency, gateway, actor, 'unknown', now() - interval '25 hours', now() + interval '1 year'
       from refunds where business_id = $3 and id = $1`,
      [_id, id, ctx.businessId],
    );
    return id;
  },
  chargeToken: async (ctx) => {
    const { id } = await makeToken(ctx);
    const row = await findConnection(ctx.businessId, ctx.mode);
    if (!row) throw new Error("no gateway in this mode");
    const method = await saveScriptedMethod({
      id: row.id,
      businessId: ctx.businessId,
      mode: ctx.mode,
      secret: unseal(row.secret ?? "", "gateway"),
    });
    const card = { brand: "Visa", last4: "4242", exp: "12/2030" };
    await withTransaction((tx) =>
      changeTokenization(
        ctx,
        tx,
        id,
        {
          status: "active",
          activatedAt: nowSql,
          gateway: row.gateway,
          connectionId: row.id,
          methodId: seal(method, "gateway"),
          ...card,
        },
        true,
      ),
    );
    return id;
  },
};

/** The names in braces of an endpoint's path. */
export const paramNames = (endpoint: Endpoint): string[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

export const addressOf = (endpoint: Endpoint, value: string): string =>
  endpoint.path.replace(/\{\w+\}/, encodeURIComponent(value));

/** Whether the path names a record; a month belongs to every business. */
export const namesRecord = (endpoint: Endpoint): boolean =>
  paramNames(endpoint).some((name) => name !== "month");

/** The path of an endpoint to a record for which the call can succeed. */
export async function readyPath(endpoint: Endpoint, ctx: Ctx): Promise<string> {
  const [name] = paramNames(endpoint);
  if (!name) return endpoint.path;
  const special = ready[endpoint.id];
  return addressOf(endpoint, special ? await special(ctx) : (await nounOf(endpoint).make(ctx)).id);
}

export function nounOf(endpoint: Endpoint): Noun {
  const names = paramNames(endpoint);
  const noun = nouns[names[0] ?? ""];
  if (names.length !== 1 || !noun)
    throw new Error(
      `tests/contract/fixtures.ts does not know how to make a record for ${endpoint.path}`,
    );
  return noun;
}

/** A body the endpoint accepts: its example, with the ids in it belonging to the business. */
export async function bodyFor(
  endpoint: Endpoint,
  ctx: Ctx,
): Promise<Record<string, unknown> | undefined> {
  const body = exampleBody(endpoint);
  if (endpoint.body && !body) throw new Error(`${endpoint.id} has no example body`);
  // An address has one customer.
  if (endpoint.id === "createCustomer") return { ...body, email: `${newId()}@example.com` };
  if (body && "ids" in body) return { ...body, ids: [(await makeLink(ctx)).id] };
  return body && "package_id" in body ? { ...body, package_id: await makePackage(ctx) } : body;
}

/** A row as it is in the database, and how many events its business has: what must stay as it is. */
export async function stateOf(table: string, id: string, businessId: number): Promise<unknown> {
  const row = await pool().query(`select to_jsonb(t) as row from ${table} t where t.id = $1`, [id]);
  const events = await pool().query(
    "select count(*)::int as count from events where business_id = $1",
    [businessId],
  );
  return { row: row.rows, events: events.rows };
}
