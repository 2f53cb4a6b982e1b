import { sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { heavyRead } from "@/db/heavy-reads";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { createBusiness } from "@/lib/domain/businesses/create";
import { MAX_EXPORTS } from "@/lib/domain/csv";
import { exportCsv } from "@/lib/domain/payment-links/export";
import { create } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import { list as listAudit } from "@/lib/domain/audit/list";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { list as listEvents } from "@/lib/domain/events/list";
import { activeConnections } from "@/lib/domain/gateway-connections/rows";
import { list as listLedger } from "@/lib/domain/ledger/list";
import { list as listMails } from "@/lib/domain/mails/list";
import { list as listRequests } from "@/lib/domain/request-log/list";
import { list as listSubscriptions } from "@/lib/domain/subscriptions/list";
import { list as listTokenizations } from "@/lib/domain/tokenizations/list";
import { list as listDeliveries } from "@/lib/domain/webhooks/deliveries";
import { find } from "@/lib/domain/search/find";
import { provideEnv } from "@/lib/env";
import * as bulkRoute from "@/app/api/payment-links/bulk/route";
import * as listRoute from "@/app/api/payment-links/route";
import * as exportRoute from "@/app/api/payment-links/export/route";
import * as qrRoute from "@/app/api/payment-links/[payment_link_id]/qr.png/route";
import { api, newTenant } from "../contract/setting";
import { connect, v1 } from "../plugins/setting";
import { as, call, someStaff } from "../staff/person";
import { addMember } from "@/lib/domain/users/create";

beforeEach(() => provideEnv({ RATE_LIMIT_COST: "300", RATE_LIMIT_TIME: "0" }));
afterAll(closePool);

const busy = { status: 429, options: { headers: { "retry-after": "5" } } };
const newCtx = async (): Promise<Ctx> =>
  systemCtx(
    { businessId: (await createBusiness({ name: "Tide & Co" })).id, mode: "test" },
    { kind: "operator" },
    "costly-work",
  );

/** Reads that go on until the test ends them. */
function held(ctx: Ctx, count: number, signal?: AbortSignal) {
  let end = () => {};
  const until = new Promise<void>((resolve) => (end = resolve));
  const started: number[] = [];
  const reads = Array.from({ length: count }, (_, number) => {
    const read = heavyRead(
      { businessId: ctx.businessId, ...(signal ? { disconnected: () => signal } : {}) },
      "search",
      async () => {
        started.push(number);
        await until;
        return number;
      },
    );
    read.catch(() => undefined);
    return read;
  });
  return { reads, started, end };
}

test("a statement of a search ends at its time limit, as a 429 with Retry-After and not a 5xx", async () => {
  const ctx = await newCtx();
  const slow = () => db.execute(sql`select pg_sleep(60)`);
  await expect(heavyRead(ctx, "search", slow, 20)).rejects.toMatchObject(busy);
  expect(await heavyRead(ctx, "search", async () => "well", 20)).toBe("well");
});

test("one business's searches fill neither another's places nor the connections of all else", async () => {
  const [ctx, other] = [await newCtx(), await newCtx()];
  const { reads, started, end } = held(ctx, 36);
  await expect.poll(() => started.length).toBe(2);
  const outcomes = await Promise.race([
    Promise.allSettled(reads.slice(34)),
    new Promise((_, reject) => setTimeout(() => reject(new Error("a search hangs")), 5_000)),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: busy },
    { status: "rejected", reason: busy },
  ]);
  for (const query of [{ q: "Invoice" }, { page: 1 }]) {
    await expect(list(ctx, query, new URLSearchParams())).rejects.toMatchObject(busy);
    expect(await list(other, query, new URLSearchParams())).toMatchObject({ data: [] });
  }
  await expect(find(ctx, "Invoice")).rejects.toMatchObject(busy);
  expect(await find(other, "Invoice")).toEqual([]);
  expect(await list(ctx, {}, new URLSearchParams())).toMatchObject({ data: [] });
  end();
  expect(await Promise.all(reads.slice(0, 34))).toEqual(Array.from({ length: 34 }, (_, at) => at));
  expect(await find(ctx, "Invoice")).toEqual([]);
});

test("lists by filters without an index run among the searches of the business, others do not", async () => {
  const ctx = await newCtx();
  const all = new URLSearchParams();
  const [connection] = await activeConnections(ctx.businessId, ctx.mode);
  const input = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Tea" };
  await create(ctx, { ...input, send_email: false });
  const [first] = (await listEvents(ctx, {}, all)).data;
  const costly = [
    () => listEvents(ctx, { type: "payment.disputed" }, all),
    () => listEvents(ctx, { type: "payment.disputed", after: first?._id }, all),
    () => listDeliveries(ctx, { type: "payment.disputed" }, all),
    () => listDeliveries(ctx, { status: "failed" }, all),
    () => listMails(ctx, { kind: "receipt" }, all),
    () => listMails(ctx, { status: "failed" }, all),
    () => listAudit(ctx, { action: "updateBusiness" }, all),
    () => listAudit(ctx, { actor_id: connection?.id }, all),
    () => listRequests(ctx, "owner", { path: "/events", status: undefined }, all),
    () => listRequests(ctx, "owner", { caller: "key", status: undefined }, all),
    () => listLedger(ctx, { kind: "dispute" }, all),
    () => listSubscriptions(ctx, { currency: "USD" }, all),
    () => listTokenizations(ctx, { status: "expired" }, all),
    () => listCallbacks(ctx, connection?.id ?? "", {}, all),
    () => list(ctx, { opened: true }, all),
  ];
  const cheap = [
    () => listEvents(ctx, {}, all),
    () => listEvents(ctx, { after: first?._id }, all),
    () => listDeliveries(ctx, { event_id: first?._id }, all),
    () => listMails(ctx, { email: "ana@example.com" }, all),
    () => listLedger(ctx, {}, all),
    () => list(ctx, { paid: true }, all),
  ];
  for (const read of [...costly, ...cheap]) expect((await read()).data).toBeInstanceOf(Array);
  const { reads, started, end } = held(ctx, 34);
  await expect.poll(() => started.length).toBe(2);
  for (const read of costly) await expect(read(), String(read)).rejects.toMatchObject(busy);
  for (const read of cheap) expect((await read()).data).toBeInstanceOf(Array);
  end();
  await Promise.all(reads);
});

test("a search whose caller has disconnected gives its place to the next", async () => {
  const ctx = await newCtx();
  const running = held(ctx, 2);
  const gone = new AbortController();
  const waiting = held(ctx, 32, gone.signal);
  await expect.poll(() => running.started.length).toBe(2);
  await expect(find(ctx, "Invoice")).rejects.toMatchObject(busy);
  gone.abort();
  const found = find(ctx, "Invoice");
  running.end();
  expect(await found).toEqual([]);
  expect(waiting.started).toEqual([]);
});

test("a business has so many exports under way; one that ends or is left makes room", async () => {
  const [ctx, other] = [await newCtx(), await newCtx()];
  const open = await Promise.all(Array.from({ length: MAX_EXPORTS }, () => exportCsv(ctx, {})));
  await expect(exportCsv(ctx, {})).rejects.toMatchObject({ status: 429 });
  await (await exportCsv(other, {})).cancel();
  await open[0]?.cancel();
  expect(await new Response(await exportCsv(ctx, {})).text()).toMatch(/^_id,status/);
  for (const stream of open.slice(1)) await new Response(stream).text();
  expect(await new Response(await exportCsv(ctx, {})).text()).toMatch(/^_id,status/);
});

test("every costly endpoint has a price, keys and viewers of a business pay from one budget", async () => {
  const costly = [...endpoints, ...staffEndpoints, ...fileEndpoints].filter(
    ({ cost }) => cost !== undefined,
  );
  expect(new Set(costly.map(({ id }) => id))).toEqual(
    new Set([
      "advanceTestClock",
      "createBatch",
      "undoBatch",
      "bulkCreatePaymentLinks",
      "exportAuditLog",
      "exportBatches",
      "exportCustomers",
      "exportEvents",
      "exportLedgerEntries",
      "exportMails",
      "exportPaymentLinks",
      "exportPayments",
      "exportPackages",
      "exportRequestLog",
      "exportSubscriptions",
      "exportTokenizations",
      "exportWebhookDeliveries",
      "getActivationQrPng",
      "getActivationQrSvg",
      "exportStatement",
      "getStatementPdf",
      "getPaymentLinkQrPng",
      "getPaymentLinkQrSvg",
      "getReceipt",
      "putLogo",
      "readSpreadsheet",
    ]),
  );
  provideEnv({ RATE_LIMIT_COST: "10" });
  const tenant = await newTenant();
  const viewer = await someStaff("viewer");
  await addMember(tenant.businessId, viewer.userId, "viewer");
  const headers = as({ ...viewer, businessId: tenant.businessId });
  const path = "/payment-links/export";
  expect((await call(exportRoute.GET, path, { headers })).status).toBe(200);
  const authorization = `Bearer ${tenant.keys.test}`;
  const byKey = () => call(exportRoute.GET, path, { headers: { authorization } });
  expect((await byKey()).status).toBe(200);
  const refused = await byKey();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await call(exportRoute.GET, path, { headers })).status).toBe(429);
  const bulk = await api("POST", "/payment-links/bulk", { key: tenant.keys.test, body: {} });
  expect(bulk.status).toBe(429);
  for (const answer of [refused, bulk])
    expect([
      answer.headers.get("x-ratelimit-limit"),
      answer.headers.get("x-ratelimit-remaining"),
    ]).toEqual(["10", "0"]);
  expect((await api("GET", "/payment-links", { key: tenant.keys.test })).status).toBe(200);
  expect((await call(exportRoute.GET, path, { headers: as(viewer) })).status).toBe(200);
});

test("of 20 dry runs and 20 images started at once by one key some of each finish, the rest are 429 with Retry-After; another business is served", async () => {
  provideEnv({ RATE_LIMIT_COST: "0" });
  const [tenant, other] = [await newTenant(), await newTenant()];
  const key = tenant.keys.test;
  const row = { email: "ana@example.com", currency: "MYR", amount: 12_550, title: "Invoice" };
  const made = await api("POST", "/payment-links", { key, body: row });
  const id = (made.body.data as { _id: string })._id;
  const dryRun = (bearer: string) =>
    call(bulkRoute.POST, "/payment-links/bulk", {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}` },
      body: { rows: [row], dry_run: true },
    });
  const image = () =>
    call(qrRoute.GET, `/payment-links/${id}/qr.png`, {
      headers: { authorization: `Bearer ${key}` },
      params: { payment_link_id: id },
    });
  const started = [dryRun, image].map((one) =>
    Promise.all(Array.from({ length: 20 }, () => one(key))),
  );
  expect((await dryRun(other.keys.test)).status).toBe(200);
  for (const answers of await Promise.all(started)) {
    const refused = answers.filter(({ status }) => status === 429);
    const finished = answers.filter(({ status }) => status === 200);
    expect(finished.length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeGreaterThan(0);
    expect(finished.length + refused.length).toBe(20);
    for (const { headers } of refused)
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("a business that has used up its time waits with reads while another calls; its writes, its staff and the other business do not", async () => {
  provideEnv({ RATE_LIMIT_TIME: "1" });
  const [noisy, quiet] = [await newTenant(), await newTenant()];
  const list = (key: string) => api("GET", "/payment-links", { key });
  const body = { email: "ana@example.com", currency: "MYR", amount: 12_550, title: "Invoice" };
  await list(quiet.keys.test);
  const plugin = await connect("woocommerce", { tenant: noisy });
  const rows = Array.from({ length: 200 }, () => ({ ...body, send_email: false }));
  await api("POST", "/payment-links/bulk", { key: noisy.keys.test, body: { rows } });
  let answered = 0;
  const waiting = [
    list(noisy.keys.test),
    v1("GET", "/payment-links?per_page=100", { key: plugin.apiKey }),
  ].map(async (calling) => {
    const { status } = await calling;
    answered++;
    return status;
  });
  const made = await api("POST", "/payment-links", { key: noisy.keys.test, body });
  const staff = await someStaff();
  await addMember(noisy.businessId, staff.userId, "viewer");
  const headers = as({ ...staff, businessId: noisy.businessId });
  const byStaff = await call(listRoute.GET, "/payment-links", { headers });
  const other = await api("POST", "/payment-links", { key: quiet.keys.test, body });
  expect([made.status, byStaff.status, other.status]).toEqual([200, 200, 200]);
  expect(answered).toBe(0);
  expect(await Promise.all(waiting)).toEqual([200, 200]);
});
