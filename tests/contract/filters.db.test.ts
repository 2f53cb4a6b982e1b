import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { closePool, db, pool, withTransaction } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { getPaymentLink as paidLinkEndpoint } from "@/lib/contract/payment-links";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { filters } from "@/lib/contract/lists";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { queueCallbacks } from "@/lib/domain/integrations/callback-rows";
import { insertHook } from "@/lib/domain/integrations/hook-rows";
import { insertMail } from "@/lib/domain/mails/rows";
import { flushBatches } from "@/lib/http/batch";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { as, someEmail, someStaff } from "../staff/person";
import { addressOf, children, nounOf } from "./fixtures";
import { api } from "./setting";

type Row = Record<string, unknown> & { _id: string };

/** The fields of an object; of a union by type, those of its first kind: the others have the same. */
function shapeOf(schema: unknown): Record<string, z.ZodType> {
  if (schema instanceof z.ZodDiscriminatedUnion) return shapeOf(schema.options[0]);
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
}
/** The lines of a statement add up to it, so no part of them is asked for: payments and the balance have filters. */
const WHOLE = ["listStatementLines"];
const lists = [...endpoints, ...staffEndpoints].filter(
  ({ id, query }) => "cursor" in shapeOf(query) && !WHOLE.includes(id),
);

/** The fields of what a list holds. */
function fieldsOf({ response }: Endpoint): Record<string, z.ZodType> {
  const [page] = response instanceof z.ZodUnion ? response.options : [];
  const rows = shapeOf(page).data;
  return rows instanceof z.ZodArray ? shapeOf(rows.element) : {};
}

const filtersOf: Record<string, readonly string[]> = {
  amount: ["amount_min", "amount_max"],
  created_at: ["created_from", "created_to"],
  status: ["status"],
};
/** The filters a list has because its objects have the field. */
const filtersFor = (list: Endpoint) =>
  Object.keys(fieldsOf(list)).flatMap(
    (field) => filtersOf[field] ?? (field in filters ? [field] : []),
  );

/** No filter takes NUL: Postgres has no such text. */
const bad = "%00";
const fieldOf = (name: string) =>
  name.replace(/^amount_m.*/, "amount").replace(/^created_(from|to)/, "created_at");

/** Values of a filter that a row does not pass. */
function others(name: string, value: unknown, field: z.ZodType | undefined): string[] {
  if (name === "status")
    return field instanceof z.ZodEnum
      ? field.options.filter((one) => one !== value).map(String)
      : [];
  const fixed: Record<string, string> = {
    amount_min: "999999999",
    amount_max: "0",
    created_from: "2999-01-01",
    created_to: "2000-01-01",
    currency: "KWD",
    email: someEmail(),
    paid: String(!value),
    overdue: String(!value),
  };
  return [fixed[name] ?? "0".repeat(24)];
}

let headers: Record<string, string>;
let ctx: Ctx;
beforeAll(async () => {
  const staff = await someStaff();
  headers = { ...as(staff), origin: "http://localhost:3000" };
  ctx = systemCtx({ businessId: staff.businessId, mode: "test" }, { kind: "operator" }, "filters");
});
afterAll(closePool);

const text = seal("Pay", "mail");
const mail = (kind: string) => {
  const id = newId();
  return insertMail(db, {
    id,
    businessId: ctx.businessId,
    mode: "test",
    kind,
    cause: id,
    objectId: newId(),
    recipient: someEmail(),
    subject: "Pay",
    html: text,
    text,
  });
};

/** Makes something for a list of staff's to hold, where signing in has not. */
const making: Record<string, () => Promise<unknown>> = {
  listIntegrations: () => makeIntegration("Till"),
  listApiKeys: () => api("POST", "/api-keys", { headers, body: { name: "Till" } }),
  listInvitations: () =>
    api("POST", "/team/invitations", { headers, body: { email: someEmail(), role: "staff" } }),
  listMails: () => Promise.all(["payment_link", "subscription_receipt", "token_receipt"].map(mail)),
  listRequestLog: () => api("GET", "/packages", { headers }).then(flushBatches),
  listGatewayConnections: () => Promise.resolve(),
  listAuditLog: () => api("POST", "/api-keys", { headers, body: { name: "Shop" } }),
  listMembers: () => Promise.resolve(),
};

const makeIntegration = async (name: string): Promise<string> =>
  (
    (await api("POST", "/integrations", { headers, body: { name, plugin: "woocommerce" } })).body
      .data as Row
  )._id;

/** An integration with a callback about a paid link. */
async function pathOfCallbacks(): Promise<string> {
  const integrationId = await makeIntegration("Shop");
  const { addresses } = await nounOf(paidLinkEndpoint).make(ctx);
  await withTransaction(async (tx) => {
    await insertHook(ctx, tx, { integrationId, url: "https://shop.example", enabled: true });
    await queueCallbacks(ctx, tx, {
      integrationId,
      paymentLinkId: addresses[0] ?? "",
      paymentId: newId(),
    });
  });
  return `/integrations/${integrationId}/callbacks`;
}

async function pathWithRows(list: Endpoint): Promise<string> {
  if (list.id === "listIntegrationCallbacks") return pathOfCallbacks();
  if (list.id === "listGatewayCallbacks") {
    const connection = (
      (await api("GET", "/gateway-connections", { headers })).body.data as { data: Row[] }
    ).data[0]?._id;
    const event =
      "insert into gateway_events (business_id, connection_id, event_id, type, reference, amount, currency) values ($1, $2, $3, 'charge', 'INV-1', 1250, 'MYR')";
    await pool().query(event, [ctx.businessId, connection, newId()]);
    return `/gateway-connections/${connection}/callbacks`;
  }
  const nested = children[list.id];
  if (nested) return addressOf(list, (await nested(ctx)).parent);
  const listed = endpoints.find(
    ({ method, path }) => method === "GET" && path.startsWith(`${list.path}/{`),
  );
  if (listed) await nounOf(listed).make(ctx);
  else await making[list.id]?.();
  return list.path;
}

describe.each(lists.map((list) => [list.path, list] as const))("GET %s", (_, list) => {
  const query = Object.keys(shapeOf(list.query));
  const found = async (at: string, name: string, value: string) => {
    const answer = await api("GET", `${at}?per_page=100&${name}=${encodeURIComponent(value)}`, {
      headers,
    });
    expect([name, value, answer.status]).toEqual([name, value, 200]);
    return (answer.body.data as { data: Row[] }).data;
  };

  test("has every filter that its objects have the field of", () => {
    expect(filtersFor(list).length).toBeGreaterThan(1);
    expect(filtersFor(list).filter((name) => !query.includes(name))).toEqual([]);
  });

  test("refuses a bad value of each, and each leaves in what has the value and out what has not", async () => {
    const at = await pathWithRows(list);
    const rows = (
      (await api("GET", `${at}?per_page=100`, { headers })).body.data as { data: Row[] }
    ).data;
    expect(rows.length).toBeGreaterThan(0);
    for (const name of filtersFor(list)) {
      const answer = await api("GET", `${at}?${name}=${bad}`, { headers });
      expect([name, answer.status, Object.keys((answer.body.errors ?? {}) as object)]).toEqual([
        name,
        422,
        [name],
      ]);
      const field = fieldsOf(list)[fieldOf(name)];
      const row = rows.find((one) => one[fieldOf(name)] !== null) ?? (rows[0] as Row);
      const value = row[fieldOf(name)];
      const ids = (some: Row[]) => some.map(({ _id }) => _id);
      if (value !== null && (name !== "status" || field instanceof z.ZodEnum))
        expect([name, ids(await found(at, name, String(value)))]).toEqual([
          name,
          expect.arrayContaining([row._id]),
        ]);
      for (const other of others(name, value, field))
        expect([name, other, ids(await found(at, name, other))]).toEqual([
          name,
          other,
          expect.not.arrayContaining([row._id]),
        ]);
    }
  });
});
