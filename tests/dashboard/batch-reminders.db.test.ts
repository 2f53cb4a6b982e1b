import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Batch, BatchReport } from "@/lib/contract/batches";
import { batchWork } from "@/lib/flows/batch/job";
import { runAll } from "../run-once";
import { data, keyCall, link, newLink, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const started = async (office: Office, ids: readonly string[]) =>
  data<Batch>(await keyCall(office, "POST", "/batches", { action: "remind", ids }));
/** Reminders wait half a minute. */
async function work(office: Office, ...batches: readonly Batch[]): Promise<void> {
  const ids = batches.map(({ _id }) => _id);
  await pool().query("update batches set starts_at = now() where id = any($1)", [ids]);
  await runAll(batchWork, office.businessId);
}
const leftOut = async (office: Office, { _id }: Batch) =>
  data<BatchReport>(await keyCall(office, "GET", `/batches/${_id}/report`)).reasons;
const reminders = async (id: string) =>
  (
    await pool().query<{ n: number }>(
      "select count(*)::int as n from mails where object_id = $1 and kind = 'payment_reminder'",
      [id],
    )
  ).rows[0]?.n;
async function reminded(office: Office, ids: readonly string[]): Promise<Batch> {
  const batch = await started(office, ids);
  await work(office, batch);
  return batch;
}
const set = (change: string, id: string) =>
  pool().query(`update mails set ${change} where object_id = $1`, [id]);

test("two reminders of a link that wait at once come to one mail, and the second says so", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const [first, second] = [await started(office, [id]), await started(office, [id])];
  await work(office, first, second);
  expect(await reminders(id)).toBe(1);
  const reasons = [await leftOut(office, first), await leftOut(office, second)];
  expect(reasons.flat()).toEqual([{ reason: "mailed_often", count: 1 }]);
});

test("a link is reminded again once its reminder has gone and an hour has passed, or at once where it failed", async () => {
  const office = await newOffice();
  const [waits, sent, failed] = [
    await newLink(office),
    await newLink(office),
    await newLink(office),
  ];
  const remind = () => reminded(office, [waits, sent, failed]);
  await remind();
  const later = "created_at = (select created_at - interval '61 minutes')";
  await set(later, waits);
  await set("status = 'sent', next_try_at = null", sent);
  await set("status = 'failed', error = 'No such mailbox'", failed);
  expect(await leftOut(office, await remind())).toEqual([{ reason: "mailed_often", count: 2 }]);
  expect(await reminders(failed)).toBe(2);
  await set(later, sent);
  expect(await leftOut(office, await remind())).toEqual([{ reason: "mailed_often", count: 2 }]);
  expect(await Promise.all([waits, sent, failed].map(reminders))).toEqual([1, 2, 2]);
});

test("a link whose reminder may have arrived is not reminded while that is tried again", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  await reminded(office, [id]);
  await set(
    "status = 'unknown', error = 'The connection was lost.', created_at = (select created_at - interval '61 minutes'), next_try_at = (select now() + interval '1 hour')",
    id,
  );
  expect(await leftOut(office, await reminded(office, [id]))).toEqual([
    { reason: "mailed_often", count: 1 },
  ]);
  expect(await reminders(id)).toBe(1);
});

test("a link is reminded again at once where its reminder was kept, or where its payer's address was corrected after it", async () => {
  const office = await newOffice();
  const kept = await newLink(office);
  const corrected = [await newLink(office), await newLink(office)] as const;
  const all = [kept, ...corrected];
  await reminded(office, all);
  await set("status = 'kept', error = 'This install has no mail server.'", kept);
  // One went to the wrong address, the other waits for another try.
  await set("status = 'sent', sent_at = now()", corrected[0]);
  for (const id of corrected)
    data(
      await keyCall(office, "PUT", `/payment-links/${id}`, link({ email: "right@example.com" })),
    );
  expect(await leftOut(office, await reminded(office, all))).toEqual([]);
  expect(await Promise.all(all.map(reminders))).toEqual([2, 2, 2]);
  expect(await leftOut(office, await reminded(office, all))).toEqual([
    { reason: "mailed_often", count: 3 },
  ]);
});

test("a link of which mails were sent again as often as they may be is not reminded", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  for (let times = 0; times < 5; times++)
    data(await staffCall(office, "POST", `/payment-links/${id}/send`));
  const batch = await started(office, [id]);
  await work(office, batch);
  expect(await leftOut(office, batch)).toEqual([{ reason: "mailed_often", count: 1 }]);
});
