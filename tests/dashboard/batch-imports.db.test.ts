import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Batch, BatchReport } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { mailComposition } from "@/lib/flows/mailing/job";
import { batchWork } from "@/lib/flows/batch/job";
import { newId } from "@/lib/kernel/ids";
import { runAll } from "../run-once";
import { data, keyCall, link, newLink, newOffice, type Office, pay, staffCall } from "./setting";

afterAll(closePool);

const sql = (text: string, ...values: unknown[]) => pool().query(text, values);
const work = (office: Office) => runAll(batchWork, office.businessId);
const get = async (office: Office, id: string) =>
  data<Batch>(await keyCall(office, "GET", `/batches/${id}`));
const imported = async (office: Office, rows: unknown[], more: object = {}) =>
  data<BulkReport>(await keyCall(office, "POST", "/payment-links/bulk", { rows, ...more }));
const statusOf = async (office: Office, id = "") =>
  data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`)).status;
const mails = async (ids: readonly string[]) =>
  (await sql("select count(*)::int as n from mails where object_id = any($1)", ids)).rows[0].n;

const byDefault = [{ days: 3, relative_to: "created_at" }];
const remindByDefault = ({ businessId }: Office, reminders: unknown = byDefault) =>
  sql(
    "update businesses set reminders = $2, reminders_since = now() where id = $1",
    businessId,
    JSON.stringify(reminders),
  );

test("an import is a batch: its mails can be stopped, and its undo cancels what is open and names what was paid", async () => {
  const office = await newOffice();
  const importId = newId();
  const rows = ["a", "b", "c"].map((name) =>
    link({ email: `${name}@example.com`, send_email: true }),
  );
  const made = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows,
      import_id: importId,
      file_name: "trip.xlsx",
      mails_wait: true,
    }),
  );
  expect(made).toMatchObject({ created: 3, mails: 3 });
  const ids = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  await runAll(mailComposition, office.businessId);
  expect(await mails(ids)).toBe(0);
  expect(await get(office, importId)).toMatchObject({
    action: "import",
    status: "done",
    total: 3,
    can_undo: true,
    file_name: "trip.xlsx",
  });
  expect(await get(office, made.mails_batch_id ?? "")).toMatchObject({
    action: "send",
    status: "waiting",
    total: 3,
  });
  const again = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows: [link()],
      import_id: importId,
      file_name: "rest.xlsx",
    }),
  );
  expect(again.mails_batch_id).toBeNull();
  expect(await get(office, importId)).toMatchObject({
    total: 4,
    changed: 4,
    file_name: "trip.xlsx",
  });
  await pay(office, ids[0] ?? "");
  const undone = data<Batch>(await keyCall(office, "POST", `/batches/${importId}/undo`));
  expect(undone).toMatchObject({ action: "cancel", undo_of: importId, total: 4, can_undo: false });
  expect(await get(office, made.mails_batch_id ?? "")).toMatchObject({ status: "stopped" });
  await work(office);
  expect(await Promise.all(ids.map((id) => statusOf(office, id)))).toEqual([
    "Paid",
    "Cancelled",
    "Cancelled",
  ]);
  expect(
    data<BatchReport>(await keyCall(office, "GET", `/batches/${undone._id}/report`)).reasons,
  ).toEqual([{ reason: "paid", count: 1 }]);
  expect(await mails(ids.slice(1))).toBe(0);
});

test("after the undo of an import the same file, or a corrected one, is imported again, also what has expired, but for what was paid", async () => {
  const office = await newOffice();
  const rows = ["A", "B", "C"].map((reference) => link({ reference }));
  const first = await imported(office, rows);
  const [paid, , expired] = first.rows.map(({ payment_link: one }) => one?._id ?? "");
  await pay(office, paid ?? "");
  await sql(
    "update payment_links set status = 'Expired', expires_at = now() where id = $1",
    expired,
  );
  data(await keyCall(office, "POST", `/batches/${first.import_id}/undo`));
  await work(office);
  const corrected = [...rows.slice(0, 2), link({ reference: "C", amount: 2_000 })];
  const second = await imported(office, corrected);
  expect(second.rows.map(({ status }) => status)).toEqual(["exists", "created", "created"]);
  expect(second.rows.map(({ conflicts_with }) => conflicts_with)).toEqual([null, null, null]);
  expect(await imported(office, corrected)).toMatchObject({ created: 0, exists: 3 });
});

test("the undo of an import is not undone, running or done", async () => {
  const office = await newOffice();
  const importId = newId();
  const made = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", { rows: [link()], import_id: importId }),
  );
  const undone = data<Batch>(await keyCall(office, "POST", `/batches/${importId}/undo`));
  const refused = async () => {
    expect(await get(office, undone._id)).toMatchObject({ can_undo: false });
    const again = await keyCall(office, "POST", `/batches/${undone._id}/undo`);
    expect([again.status, again.body.message]).toEqual([409, "This batch has undone another one."]);
  };
  await refused();
  await work(office);
  await refused();
  expect(await statusOf(office, made.rows[0]?.payment_link?._id)).toBe("Cancelled");
});

test("the mails of an import that nobody stops go to each payer once", async () => {
  const office = await newOffice();
  const rows = ["a", "b", "c"].map((name, at) =>
    link({ email: `${name}@example.com`, send_email: at > 0 }),
  );
  const made = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", { rows, mails_wait: true }),
  );
  await sql(
    "update batches set starts_at = now() - interval '1 second' where id = $1",
    made.mails_batch_id,
  );
  await work(office);
  const ids = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  expect(await Promise.all(ids.map((id) => mails([id])))).toEqual([0, 1, 1]);
});

test("the mails of an import leave out the link that was sent by hand meanwhile, and say so", async () => {
  const office = await newOffice();
  const rows = ["a", "b"].map((name) => link({ email: `${name}@example.com`, send_email: true }));
  const made = await imported(office, rows, { mails_wait: true });
  const [byHand = "", other = ""] = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  data(await staffCall(office, "POST", `/payment-links/${byHand}/send`));
  const send = made.mails_batch_id ?? "";
  await sql("update batches set starts_at = now() where id = $1", send);
  await work(office);
  expect([await mails([byHand]), await mails([other])]).toEqual([1, 1]);
  const { reasons } = data<BatchReport>(await keyCall(office, "GET", `/batches/${send}/report`));
  expect(reasons).toEqual([{ reason: "mailed_often", count: 1 }]);
});

test("an import counts the links that will be reminded, by a schedule of their own or by the default of those that are mailed", async () => {
  const office = await newOffice();
  const rows = [
    link({ reminders: byDefault }),
    link({ reminders: [], send_email: true }),
    link({ send_email: true }),
    link(),
  ];
  const counts = async () =>
    Promise.all(
      [true, false].map(async (dry_run) => {
        const report = await imported(office, rows, { dry_run });
        return [report.mails, report.with_reminders];
      }),
    );
  expect(await counts()).toEqual([
    [2, 1],
    [2, 1],
  ]);
  await remindByDefault(office);
  expect(await counts()).toEqual([
    [2, 2],
    [2, 2],
  ]);
  const planned = await sql(
    "select count(*)::int as n from payment_links where business_id = $1 and next_reminder_at is not null",
    office.businessId,
  );
  expect(planned.rows).toEqual([{ n: 3 }]);
});

test("an import counts no reminder around a due date for a link without one", async () => {
  const office = await newOffice();
  await remindByDefault(office, [{ days: -1, relative_to: "due_at" }]);
  const rows = [
    link({ send_email: true }),
    link({ send_email: true, due_at: "2031-01-31T12:00:00Z" }),
  ];
  for (const dry_run of [true, false])
    expect(await imported(office, rows, { dry_run })).toMatchObject({ with_reminders: 1 });
});

test("stopping the mails of an import takes the default reminders from whom no mail reached, and the report counts the schedules of the file", async () => {
  const office = await newOffice();
  await remindByDefault(office);
  const own = { reminders: [{ days: 5, relative_to: "created_at" }] };
  const rows = Array.from({ length: 105 }, (_, at) =>
    link({ email: `${at}@example.com`, send_email: true, ...(at > 102 ? own : {}) }),
  );
  const made = await imported(office, rows, { mails_wait: true });
  const ids = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  const send = made.mails_batch_id ?? "";
  // A part of a hundred has mailed its links.
  await sql(
    `with part as (update batch_items set outcome = 'changed' where batch_id = $1 and position <= 100 returning position)
     update batches set status = 'running', done = 100, changed = 100 where id = $1`,
    send,
  );
  // Two that it has not reached are mailed by hand; the mail server refuses one.
  for (const at of [101, 102])
    data(await staffCall(office, "POST", `/payment-links/${ids[at]}/send`));
  await sql("update mails set status = 'failed' where object_id = $1", ids[102]);
  data(await keyCall(office, "POST", `/batches/${send}/stop`));
  const of = async (at: number) =>
    data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${ids[at]}`));
  expect((await of(99)).default_reminders).toEqual(byDefault);
  expect((await of(100)).default_reminders).toEqual([]);
  expect((await of(101)).default_reminders).toEqual(byDefault);
  expect((await of(102)).default_reminders).toEqual([]);
  const planned = await sql(
    "select id from payment_links where business_id = $1 and next_reminder_at is null",
    office.businessId,
  );
  expect(new Set(planned.rows.map(({ id }) => id))).toEqual(new Set([ids[100], ids[102]]));
  const report = await keyCall(office, "GET", `/batches/${send}/report`);
  expect(data<BatchReport>(report).with_reminders).toBe(2);
});

test("links of an import that was undone before its mails were sent are not reminded by default, opened again or not", async () => {
  const office = await newOffice();
  await remindByDefault(office);
  const made = await imported(office, [link({ send_email: true })], { mails_wait: true });
  const id = made.rows[0]?.payment_link?._id ?? "";
  data(await keyCall(office, "POST", `/batches/${made.import_id}/undo`));
  await work(office);
  data(await keyCall(office, "POST", `/payment-links/${id}/reopen`));
  const { rows } = await sql("select next_reminder_at from payment_links where id = $1", id);
  expect([await statusOf(office, id), rows]).toEqual(["Active", [{ next_reminder_at: null }]]);
});

test("undoing an import names those who had a mail or may have had one, and no one whom the mail server did not take", async () => {
  const office = await newOffice();
  const rows = ["a", "b", "c", "d", "e"].map((name) =>
    link({ email: `${name}@example.com`, send_email: true }),
  );
  const importId = newId();
  const made = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", { rows, import_id: importId }),
  );
  const ids = made.rows.flatMap(({ payment_link: one }) => one?._id ?? []);
  await runAll(mailComposition, office.businessId);
  await sql("update mails set status = 'sent' where object_id = any($1)", ids.slice(0, 3));
  await sql("update mails set status = 'failed' where object_id = $1", ids[3]);
  await sql("update mails set status = 'unknown' where object_id = $1", ids[4]);
  await pay(office, ids[0] ?? "");
  const undone = data<Batch>(await keyCall(office, "POST", `/batches/${importId}/undo`));
  await work(office);
  const told = data<BatchReport>(await keyCall(office, "GET", `/batches/${undone._id}/report`));
  expect(told.skipped.map(({ payment_link: one }) => one.email)).toEqual(["a@example.com"]);
  expect(told.mailed).toBe(3);
  expect(told.mailed_links.map(({ email }) => email)).toEqual([
    "b@example.com",
    "c@example.com",
    "e@example.com",
  ]);
});

test("links that are created after the undo of their import are undone too", async () => {
  const office = await newOffice();
  const importId = newId();
  const undo = async () => {
    const batch = data<Batch>(await keyCall(office, "POST", `/batches/${importId}/undo`));
    await work(office);
    return get(office, batch._id);
  };
  const first = await imported(office, [link({ reference: "A" })], { import_id: importId });
  const firstUndo = await undo();
  expect(await get(office, importId)).toMatchObject({ undone_by: firstUndo._id, can_undo: false });
  const second = await imported(office, [link({ reference: "A" })], { import_id: importId });
  expect(second.created).toBe(1);
  expect(await get(office, importId)).toMatchObject({ undone_by: null, can_undo: true, total: 2 });
  expect(await undo()).toMatchObject({ total: 2, changed: 1, skipped: 1, can_undo: false });
  for (const { rows } of [first, second])
    expect(await statusOf(office, rows[0]?.payment_link?._id)).toBe("Cancelled");
  expect((await keyCall(office, "POST", `/batches/${importId}/undo`)).status).toBe(409);
});

test("an undo that passes a call of its import leaves that call's links, and they can be undone", async () => {
  const office = await newOffice();
  const importId = newId();
  await imported(office, [link()], { import_id: importId });
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("lock table payment_links in share mode");
    const calling = imported(office, [link()], { import_id: importId });
    const waiting = () =>
      sql(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
    await expect.poll(async () => (await waiting()).rows.length).toBe(1);
    const undone = data<Batch>(await keyCall(office, "POST", `/batches/${importId}/undo`));
    expect(undone.total).toBe(1);
    await client.query("commit");
    const made = await calling;
    await work(office);
    expect(await statusOf(office, made.rows[0]?.payment_link?._id)).toBe("Active");
    expect(await get(office, importId)).toMatchObject({ undone_by: null, can_undo: true });
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("an import's id of the other mode or of another action is refused, and nothing is created", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const batch = data<Batch>(
    await keyCall(office, "POST", "/batches", { action: "cancel", ids: [id] }),
  );
  const live = newId();
  await sql(
    `insert into batches (business_id, mode, id, action, status, total, starts_at, started_by)
     values ($1, 'live', $2, 'import', 'done', 1, now(), '{"kind":"payer"}')`,
    office.businessId,
    live,
  );
  for (const importId of [batch._id, live]) {
    const { status, body } = await keyCall(office, "POST", "/payment-links/bulk", {
      rows: [link()],
      import_id: importId,
    });
    expect([status, body.errors]).toEqual([
      422,
      { import_id: ["The import id has already been taken."] },
    ]);
  }
  const { rows } = await sql(
    "select id from payment_links where business_id = $1",
    office.businessId,
  );
  expect(rows).toEqual([{ id }]);
  expect(await get(office, batch._id)).toMatchObject({ action: "cancel", total: 1 });
});
