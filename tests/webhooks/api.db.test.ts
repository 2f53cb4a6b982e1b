import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { eventTypes } from "@/lib/contract/values";
import { dueEndpoints } from "@/lib/domain/webhooks/delivery-rows";
import { unscopedOverdue } from "@/lib/jobs/backlog-rows";
import { type Answer, api, newTenant, type Tenant } from "../contract/setting";
import { as, someStaff } from "../staff/person";
import { answer, newReceiver } from "./receiver";
import { runnerOf, endpointAt, happen, states, until } from "./setting";

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});
afterAll(closePool);

const key = () => tenant.keys.test;
const data = (one: Answer) => one.body.data as Record<string, unknown>;
const create = (body: unknown) => api("POST", "/webhook-endpoints", { key: key(), body });
const url = "https://shop.example/webhooks";

test("an endpoint takes all event types unless some are named; its secret is in the first answer and in no other", async () => {
  const made = data(await create({ url }));
  expect(made).toMatchObject({
    url,
    description: null,
    events: ["*"],
    enabled: true,
    disabled_reason: null,
    previous_secret_until: null,
    earlier_secret_until: null,
    business_id: tenant.businessId,
  });
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const path = `/webhook-endpoints/${made._id}`;
  const { secret, ...shown } = made;
  expect(data(await api("GET", path, { key: key() }))).toEqual(shown);
  const others = [
    await api("GET", "/webhook-endpoints", { key: key() }),
    await api("PUT", path, { key: key(), body: { description: "Shop" } }),
    await api("DELETE", path, { key: key() }),
  ];
  for (const one of others) expect(one.text).not.toContain("whsec_");
  const { rows } = await db.execute<{ row: string }>(
    sql`select to_jsonb(w)::text as row from webhook_endpoints w where id = ${made._id as string}`,
  );
  expect(rows[0]?.row).not.toContain(String(secret).slice(6));
  expect(data(await create({ url, events: ["*"] })).events).toEqual(["*"]);
  expect(
    data(
      await create({
        url,
        events: ["payment.failed", "payment_link.paid"],
        enabled: false,
        description: " Shop ",
      }),
    ),
  ).toMatchObject({
    events: ["payment.failed", "payment_link.paid"],
    enabled: false,
    description: "Shop",
  });
});

test.each([
  ["http://shop.example/", "The url must begin with https."],
  ["https://127.0.0.1/", "The url must not be in a private network."],
  ["https://2130706433/", "The url must not be in a private network."],
  ["https://[::1]/", "The url must not be in a private network."],
  ["https://localhost/", "The url must not be in a private network."],
  ["https://169.254.169.254/latest", "The url must not be in a private network."],
  ["https://shop.example:22/", "The url must not use this port."],
  ["https://me:secret@shop.example/", "The url must be a valid URL."],
  ["ftp://shop.example/", "The url must be a valid URL."],
  ["shop", "The url must be a valid URL."],
])("%s is refused, in create and update", async (bad, text) => {
  const expected = { message: "The given data was invalid.", errors: { url: [text] } };
  expect((await create({ url: bad })).body).toEqual(expected);
  const made = data(await create({ url }));
  expect(
    (await api("PUT", `/webhook-endpoints/${made._id}`, { key: key(), body: { url: bad } })).body,
  ).toEqual(expected);
});

test.each([[[]], [["nonsense"]], [["payment.failed", "payment.failed"]], ["payment.failed"]])(
  "the events %j are a 422",
  async (events) => {
    expect((await create({ url, events })).status).toBe(422);
  },
);

test("fifty endpoints are enough, also when many are made at once", async () => {
  const other = await newTenant();
  const make = () => api("POST", "/webhook-endpoints", { key: other.keys.test, body: { url } });
  for (let made = 0; made < 46; made++) await make();
  const last = await Promise.all(Array.from({ length: 8 }, make));
  expect(last.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 409, 409, 409, 409]);
  expect(last.find(({ status }) => status === 409)?.body).toMatchObject({
    code: "conflict",
    message: "There are already 50 webhook endpoints. Delete one first.",
  });
  await api(
    "DELETE",
    `/webhook-endpoints/${data(last.find(({ status }) => status === 200) as Answer)._id}`,
    { key: other.keys.test },
  );
  expect((await make()).status).toBe(200);
  expect(
    (await api("POST", "/webhook-endpoints", { key: other.keys.live, body: { url } })).status,
  ).toBe(200);
});

test("an update changes what is named and nothing else", async () => {
  const made = data(await create({ url, events: [eventTypes[0]], description: "Shop" }));
  const put = async (body: unknown) =>
    data(await api("PUT", `/webhook-endpoints/${made._id}`, { key: key(), body }));
  expect(await put({})).toMatchObject({
    url,
    events: [eventTypes[0]],
    description: "Shop",
    enabled: true,
  });
  expect(await put({ description: null, events: ["*"] })).toMatchObject({
    url,
    events: ["*"],
    description: null,
    enabled: true,
  });
  expect(await put({ enabled: false, url: "https://other.example/x" })).toMatchObject({
    url: "https://other.example/x",
    enabled: false,
  });
  expect(await put({ enabled: "1" })).toMatchObject({ enabled: true });
});

test("a rotation gives a new secret and says how long the old ones sign", async () => {
  const made = data(await create({ url }));
  const rotate = async () =>
    data(await api("POST", `/webhook-endpoints/${made._id}/rotate`, { key: key() }));
  const rotated = await rotate();
  expect(rotated.secret).not.toBe(made.secret);
  expect(rotated).toMatchObject({
    previous_secret_until: expect.any(String),
    earlier_secret_until: null,
  });
  expect((await rotate()).earlier_secret_until).toBe(rotated.previous_secret_until);
});

test("deliveries are found by endpoint, event, state and type", async () => {
  const ctx = (tenant = await newTenant()).ctx.test;
  const receiver = await newReceiver(
    (one, response) =>
      void response.writeHead(JSON.parse(one.body).type === "package.created" ? 200 : 500).end(),
  );
  const { id } = await endpointAt(ctx, receiver.url);
  const [good] = await happen(ctx);
  const [bad] = await happen(ctx, 1, "package.deleted");
  await until(runnerOf(ctx), () => states(ctx), { delivered: 1, failed: 1 });
  const found = async (query: string) =>
    (
      data(await api("GET", `/webhook-deliveries?${query}`, { key: key() })).data as Array<{
        event_id: string;
      }>
    ).map(({ event_id }) => event_id);
  expect((await found("")).sort()).toEqual([good, bad].sort());
  expect(await found("status=failed")).toEqual([bad]);
  expect(await found(`event_id=${good}`)).toEqual([good]);
  expect(await found("type=package.created&page=1")).toEqual([good]);
  expect(await found(`webhook_endpoint_id=${"0".repeat(24)}`)).toEqual([]);
  const below = data(
    await api("GET", `/webhook-endpoints/${id}/deliveries?status=delivered`, { key: key() }),
  );
  expect((below.data as Array<{ event_id: string }>).map(({ event_id }) => event_id)).toEqual([
    good,
  ]);
  expect(below.path).toBe(`http://localhost:3000/api/webhook-endpoints/${id}/deliveries`);
  await receiver.close();
});

test("what staff do with endpoints is in the audit log, without the secret", async () => {
  const owner = await someStaff("owner");
  const headers = { ...as(owner), origin: "http://localhost:3000" };
  const made = data(await api("POST", "/webhook-endpoints", { headers, body: { url } }));
  await api("POST", `/webhook-endpoints/${made._id}/rotate`, { headers });
  await api("DELETE", `/webhook-endpoints/${made._id}`, { headers });
  const { rows } = await db.execute<{ action: string; object_id: string; details: string }>(
    sql`select action, object_id, details from audit_entries where business_id = ${owner.businessId} and object_id = ${made._id as string} order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual([
    "createWebhookEndpoint",
    "rotateWebhookEndpoint",
    "deleteWebhookEndpoint",
  ]);
  expect(JSON.stringify(rows)).not.toContain("whsec_");
});

test("staff see what the workers have before them and what they gave up on, of their own business and mode", async () => {
  const owner = await someStaff("owner");
  const ctx = {
    ...tenant.ctx.test,
    businessId: owner.businessId as typeof tenant.ctx.test.businessId,
  };
  const receiver = await newReceiver(answer(500));
  await endpointAt(ctx, receiver.url);
  await happen(ctx, 2);
  await until(runnerOf(ctx), () => states(ctx), { failed: 2 });
  await happen(ctx);
  await until(runnerOf(ctx, [3_600]), async () => (await states(ctx)).pending, 1);
  const shown = data(await api("GET", "/work", { headers: as(owner) }));
  expect(shown.exhausted).toEqual({ webhook_deliveries: 2, mails: 0 });
  const of = (one: Record<string, unknown>) =>
    (one.work as Array<{ kind: string }>).find(({ kind }) => kind === "webhooks");
  await expect
    .poll(async () => of(data(await api("GET", "/work", { headers: as(owner) }))))
    .toMatchObject({ planned: 1, due: 0, oldest_due_at: null, next_at: expect.any(String) });
  const other = data(await api("GET", "/work", { headers: as(await someStaff("viewer")) }));
  expect([other.exhausted, of(other)]).toMatchObject([
    { webhook_deliveries: 0 },
    { planned: 0, due: 0 },
  ]);
  await receiver.close();
});

test("a delivery that no worker takes is overdue; one that an endpoint is slow with is not", async () => {
  const ctx = (await newTenant()).ctx.test;
  const { id } = await endpointAt(ctx, "http://127.0.0.1:9/");
  await happen(ctx);
  await until({ poll: async () => 0 }, () => states(ctx), { pending: 1 });
  await db.execute(
    sql`update webhook_deliveries set next_try_at = now() - interval '50 years' where business_id = ${ctx.businessId}`,
  );
  const overdue = async () =>
    (await unscopedOverdue(dueEndpoints, 1_500_000_000)).filter(
      ({ tenant }) => tenant[0] === ctx.businessId,
    );
  expect(await overdue()).toMatchObject([{ tried: false }]);
  await db.execute(
    sql`update webhook_endpoints set leased_until = now() + interval '1 minute' where id = ${id}`,
  );
  expect(await overdue()).toEqual([]);
  await db.execute(
    sql`update webhook_endpoints set leased_until = null, enabled = false where id = ${id}`,
  );
  expect(await overdue()).toEqual([]);
});
