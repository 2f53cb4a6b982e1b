import { afterAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Batch, BatchReport } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { batchWork } from "@/lib/flows/batch/job";
import { workBatch } from "@/lib/flows/batch/work";
import { newId } from "@/lib/kernel/ids";
import { press } from "../money/setting-verbs";
import { runAll } from "../run-once";
import {
  data,
  keyCall,
  link,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

const later = "2031-01-31T12:00:00.000000Z";
const sql = (text: string, ...values: unknown[]) => pool().query(text, values);

const start = (office: Office, body: object, query = "") =>
  keyCall(office, "POST", `/batches${query}`, body);
const work = (office: Office) => runAll(batchWork, office.businessId);
const get = async (office: Office, id: string) =>
  data<Batch>(await keyCall(office, "GET", `/batches/${id}`));
const report = async (office: Office, id: string) =>
  data<BatchReport>(await keyCall(office, "GET", `/batches/${id}/report`));
const undo = (office: Office, id: string) => keyCall(office, "POST", `/batches/${id}/undo`);
const stop = (office: Office, id: string) => keyCall(office, "POST", `/batches/${id}/stop`);
/** Reminders wait half a minute. */
const hurry = (id: string) =>
  sql("update batches set starts_at = now() - interval '1 second' where id = $1", id);
const shown = async (office: Office, id: string) =>
  data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`));
const statusOf = async (office: Office, id: string) => (await shown(office, id)).status;
const mails = async (ids: readonly string[]) =>
  (await sql("select count(*)::int as n from mails where object_id = any($1)", ids)).rows[0].n;

/** Runs a batch to its end. */
async function done(office: Office, body: object, query = ""): Promise<Batch> {
  const { _id } = data<Batch>(await start(office, body, query));
  if (body && "action" in body && body.action === "remind") await hurry(_id);
  await work(office);
  const batch = await get(office, _id);
  expect(batch).toMatchObject({ status: "done", done: batch.total });
  expect(batch.finished_at).not.toBeNull();
  return batch;
}

/** Ways to bring a link into each state that matters. */
const states: Record<string, (office: Office, id: string) => Promise<unknown>> = {
  open: async () => undefined,
  paid: pay,
  processing: (office, id) => pay(office, id, "approve_later"),
  cancelled: (office, id) => keyCall(office, "POST", `/payment-links/${id}/cancel`),
  expired: (_office, id) =>
    sql("update payment_links set status = 'Expired', expires_at = '2026-01-01' where id = $1", id),
  "at the gateway": (office, id) => press(office.shop.ctx, id),
  deleted: (office, id) => keyCall(office, "DELETE", `/payment-links/${id}`),
};

/** The call on a single link that does what a batch does. */
const single: Record<string, (office: Office, id: string) => ReturnType<typeof keyCall>> = {
  cancel: (office, id) => keyCall(office, "POST", `/payment-links/${id}/cancel`),
  remind: (office, id) => keyCall(office, "POST", `/payment-links/${id}/send`),
  extend: async (office, id) => {
    const { _id, ...fields } = await shown(office, id).catch(() => ({ _id: id, ...link() }));
    return keyCall(office, "PUT", `/payment-links/${id}`, {
      email: fields.email,
      currency: fields.currency,
      amount: fields.amount,
      title: fields.title,
      expires_at: later,
    });
  },
};

describe.each(Object.keys(single))("%s", (action) => {
  test.each(Object.keys(states))(
    "does to a link that is %s what the call on one link does, or skips it with a reason",
    async (state) => {
      const office = await newOffice();
      const given = action === "extend" ? { expires_at: "2030-01-01T00:00:00Z" } : {};
      const [one, other] = [await newLink(office, given), await newLink(office, given)];
      for (const id of [one, other]) await states[state]?.(office, id);
      const answer = await single[action]?.(office, one);
      const batch = await done(office, {
        action,
        ids: [other],
        ...(action === "extend" ? { expires_at: later } : {}),
      });
      // A payer at the gateway is about to pay: no reminder, though staff may send one mail on purpose.
      const spared = action === "remind" && state === "at the gateway";
      // An edit brings a cancelled link's fields up to date; an extension of many leaves what was cancelled.
      const left = action === "extend" && state === "cancelled";
      const isDone = answer?.status === 200 && !spared && !left;
      expect(batch).toMatchObject({ changed: isDone ? 1 : 0, skipped: isDone ? 0 : 1 });
      expect((await report(office, batch._id)).reasons).toHaveLength(isDone ? 0 : 1);
      if (state === "deleted" || spared || left) return;
      const [first, second] = [await shown(office, one), await shown(office, other)];
      expect([second.status, second.expires_at, second.version]).toEqual([
        first.status,
        first.expires_at,
        first.version,
      ]);
      if (action === "remind") expect(await mails([other])).toBe(await mails([one]));
    },
  );
});

test("a batch over many parts changes each link once, with one event, and its undo gives every one back", async () => {
  const office = await newOffice();
  const { rows } = await data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows: Array.from({ length: 250 }, (_, at) => link({ title: `Link ${at}` })),
    }),
  );
  const ids = rows.flatMap(({ payment_link: made }) => made?._id ?? []);
  const before = await Promise.all(ids.slice(0, 20).map((id) => shown(office, id)));
  const batch = await done(office, { action: "cancel", expected: 250 });
  expect(batch).toMatchObject({ total: 250, changed: 250, can_undo: true });
  const events = async (type: string) =>
    (
      await sql(
        "select count(*)::int as n, count(distinct object_id)::int as links from events where business_id = $1 and type = $2",
        office.businessId,
        type,
      )
    ).rows[0];
  expect(await events("payment_link.cancelled")).toEqual({ n: 250, links: 250 });
  const undone = data<Batch>(await undo(office, batch._id));
  expect(undone).toMatchObject({ action: "undo", undo_of: batch._id, total: 250 });
  await work(office);
  expect(await get(office, undone._id)).toMatchObject({
    status: "done",
    changed: 250,
    can_undo: false,
  });
  expect(await events("payment_link.reopened")).toEqual({ n: 250, links: 250 });
  const after = await Promise.all(ids.slice(0, 20).map((id) => shown(office, id)));
  expect(after.map((one) => ({ ...one, updated_at: "" }))).toEqual(
    before.map((one) => ({ ...one, updated_at: "" })),
  );
  expect((await undo(office, batch._id)).status).toBe(409);
  expect((await undo(office, undone._id)).status).toBe(409);
});

test("an undo before the worker has begun stops the batch, and nothing is done", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const { _id } = data<Batch>(await start(office, { action: "cancel", ids: [id] }));
  expect(data<Batch>(await undo(office, _id))).toMatchObject({ action: "undo", total: 0 });
  await work(office);
  expect(await get(office, _id)).toMatchObject({ status: "stopped", done: 0 });
  expect(await statusOf(office, id)).toBe("Active");
});

test("undoing an extension gives the former expiry back, and an expired link is expired again", async () => {
  const office = await newOffice();
  const [open, dated, expired] = [
    await newLink(office),
    await newLink(office, { expires_at: "2030-01-01T00:00:00Z" }),
    await newLink(office),
  ];
  await states.expired?.(office, expired);
  const before = await Promise.all([open, dated, expired].map((id) => shown(office, id)));
  const batch = await done(office, {
    action: "extend",
    ids: [open, dated, expired],
    expires_at: later,
    shorten: true,
  });
  for (const id of [open, dated, expired])
    expect(await shown(office, id)).toMatchObject({ status: "Active", expires_at: later });
  data(await undo(office, batch._id));
  await work(office);
  const after = await Promise.all([open, dated, expired].map((id) => shown(office, id)));
  expect(after.map(({ status, expires_at }) => [status, expires_at])).toEqual(
    before.map(({ status, expires_at }) => [status, expires_at]),
  );
});

test("an extension gives no link less time than it has: those that never expire, or expire later, are left and named", async () => {
  const office = await newOffice();
  const [never, early, late] = [
    await newLink(office),
    await newLink(office, { expires_at: "2030-01-01T00:00:00Z" }),
    await newLink(office, { expires_at: "2032-01-01T00:00:00Z" }),
  ];
  const extension = { action: "extend", expected: 3, expires_at: later };
  const batch = await done(office, extension);
  expect(batch).toMatchObject({ changed: 1, skipped: 2, shorten: false });
  const expiries = async () =>
    Promise.all([never, early, late].map(async (id) => (await shown(office, id)).expires_at));
  expect(await expiries()).toEqual([null, later, "2032-01-01T00:00:00.000000Z"]);
  expect((await report(office, batch._id)).reasons).toEqual([
    { reason: "expires_later", count: 1 },
    { reason: "never_expires", count: 1 },
  ]);
  const endless = await keyCall(office, "GET", "/payment-links?has_expiry=false");
  expect(data<{ data: PaymentLink[] }>(endless).data.map(({ _id }) => _id)).toEqual([never]);
  expect(await done(office, { ...extension, shorten: true })).toMatchObject({
    changed: 2,
    shorten: true,
  });
  expect(await expiries()).toEqual([later, later, later]);
});

test("an undo leaves links that changed since, and says so", async () => {
  const office = await newOffice();
  const email = "erased.meanwhile@example.com";
  const erased = await newLink(office, { email });
  const ids = [await newLink(office), await newLink(office), await newLink(office), erased];
  const [reopened, again] = ids as [string, string];
  const batch = await done(office, { action: "cancel", ids });
  data(await staffCall(office, "POST", "/payers/erase", { email }));
  data(await keyCall(office, "POST", `/payment-links/${reopened}/reopen`));
  await pay(office, reopened);
  data(await keyCall(office, "POST", `/payment-links/${again}/reopen`));
  data(await keyCall(office, "POST", `/payment-links/${again}/cancel`));
  const undone = data<Batch>(await undo(office, batch._id));
  await work(office);
  expect(await Promise.all(ids.map((id) => statusOf(office, id)))).toEqual([
    "Paid",
    "Cancelled",
    "Active",
    "Cancelled",
  ]);
  const said = await report(office, undone._id);
  expect(said.skipped.map((one) => [one.payment_link._id, one.reason]).sort()).toEqual(
    [
      [reopened, "paid"],
      [again, "changed_since"],
      [erased, "changed_since"],
    ].sort(),
  );
});

test("reminders wait half a minute, and one that is stopped or whose link is paid by then sends nothing", async () => {
  const office = await newOffice();
  const [paid, open, stopped] = [
    await newLink(office),
    await newLink(office),
    await newLink(office),
  ];
  const batch = data<Batch>(await start(office, { action: "remind", ids: [paid, open] }));
  const other = data<Batch>(await start(office, { action: "remind", ids: [stopped] }));
  const wait = Date.parse(batch.starts_at) - Date.parse(batch.created_at);
  expect(wait).toBe(30_000);
  await work(office);
  expect(await get(office, batch._id)).toMatchObject({ status: "waiting", done: 0 });
  await pay(office, paid);
  const mailsOfPaid = await mails([paid]);
  expect(data<Batch>(await stop(office, other._id))).toMatchObject({ status: "stopped" });
  expect((await stop(office, other._id)).status).toBe(409);
  for (const { _id } of [batch, other]) await hurry(_id);
  await work(office);
  expect(await get(office, batch._id)).toMatchObject({
    status: "done",
    changed: 1,
    skipped: 1,
    can_undo: false,
  });
  expect([await mails([paid]), await mails([open]), await mails([stopped])]).toEqual([
    mailsOfPaid,
    1,
    0,
  ]);
  expect((await undo(office, batch._id)).status).toBe(409);
});

test("in live mode without a gateway nothing is reminded, as no single link is sent", async () => {
  const office = await newOffice();
  const live = { ...office, key: office.liveKey };
  const answer = await start(live, { action: "remind", expected: 1 });
  expect([answer.status, answer.body.code]).toEqual([409, "gateway_not_connected"]);
  expect((await start(live, { action: "cancel", expected: 1 })).body.code).toBe("conflict");
});

test("a batch takes what the filters match, and nothing when that is another number than expected", async () => {
  const office = await newOffice();
  const other = await newOffice();
  const wanted = [
    await newLink(office, { reference: "TRIP" }),
    await newLink(office, { reference: "TRIP" }),
  ];
  const [left, strange] = [await newLink(office), await newLink(other, { reference: "TRIP" })];
  const refused = await start(office, { action: "cancel", expected: 3 }, "?reference=TRIP");
  expect([refused.status, refused.body.message]).toEqual([
    409,
    "2 payment links match now, not 3.",
  ]);
  expect(await statusOf(office, wanted[0] ?? "")).toBe("Active");
  await done(office, { action: "cancel", expected: 2 }, "?reference=TRIP");
  for (const id of wanted) expect(await statusOf(office, id)).toBe("Cancelled");
  expect([await statusOf(office, left), await statusOf(other, strange)]).toEqual([
    "Active",
    "Active",
  ]);
  const found = await done(office, { action: "cancel", expected: 3 }, "?q=satay");
  expect(found).toMatchObject({ changed: 1, skipped: 2 });
  const both = await start(office, { action: "cancel", ids: [left] }, "?reference=TRIP");
  expect(both.status).toBe(409);
});

test("links of another business, of the other mode and unknown ones are refused by name", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const [mine, theirs] = [await newLink(office), await newLink(other)];
  for (const wrong of [theirs, newId()]) {
    const answer = await start(office, { action: "cancel", ids: [mine, wrong] });
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, ["ids.1"]]);
  }
  expect(
    (await start({ ...office, key: office.liveKey }, { action: "cancel", ids: [mine] })).status,
  ).toBe(422);
  expect([await statusOf(office, mine), await statusOf(other, theirs)]).toEqual([
    "Active",
    "Active",
  ]);
});

test("a field that is wrong is never called missing, and one that is missing is named", async () => {
  const office = await newOffice();
  const errors = async (body: object) => (await start(office, body)).body.errors;
  expect(
    await errors({ action: "extend", expected: 0, expires_at: "2001-01-01T00:00:00Z" }),
  ).toEqual({
    expected: ["The expected must be at least 1."],
    expires_at: ["The expires at must be a date after now."],
  });
  expect(await errors({ action: "extend" })).toEqual({
    expected: ["The expected field is required when ids is not present."],
    expires_at: ["The expires at field is required when extend days is not present."],
  });
});

test("a viewer reads batches and starts, stops and undoes none", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const headers = await member(office, "viewer");
  const batch = await done(office, { action: "cancel", ids: [id] });
  for (const [path, body] of [
    ["/batches", { action: "cancel", ids: [id] }],
    [`/batches/${batch._id}/stop`, undefined],
    [`/batches/${batch._id}/undo`, undefined],
  ] as const)
    expect((await staffCall(office, "POST", path, body, headers)).status).toBe(403);
  expect(
    (await staffCall(office, "GET", `/batches/${batch._id}/report`, undefined, headers)).status,
  ).toBe(200);
});

test("a worker that dies between parts, or loses its claim, leaves nothing done twice", async () => {
  const office = await newOffice();
  const made = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows: Array.from({ length: 150 }, (_, at) => link({ title: `Link ${at}` })),
    }),
  );
  expect(made.created).toBe(150);
  const { _id } = data<Batch>(await start(office, { action: "remind", expected: 150 }));
  await hurry(_id);
  const claim = async () =>
    (await sql("update batches set fence = fence + 1 where id = $1 returning fence::int", _id))
      .rows[0].fence as number;
  const { rows } = await sql("select * from batches where id = $1", _id);
  const row = {
    ...rows[0],
    businessId: rows[0].business_id,
    startedBy: rows[0].started_by,
    undoOf: null,
    expiresAt: null,
  };
  const stale = { ...row, fence: await claim() };
  await claim();
  await expect(workBatch(office.shop.ctx, stale, new AbortController().signal)).rejects.toThrow();
  expect(await get(office, _id)).toMatchObject({ done: 0 });
  await Promise.all([work(office), work(office)]);
  const batch = await get(office, _id);
  expect(batch).toMatchObject({ status: "done", done: 150, changed: 150 });
  const ids = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  expect(await mails(ids)).toBe(150);
});
