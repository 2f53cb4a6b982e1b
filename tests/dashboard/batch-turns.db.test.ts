import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { Batch } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import { batchWork } from "@/lib/flows/batch/job";
import { workBatch } from "@/lib/flows/batch/work";
import { unscopedRelease } from "@/lib/jobs/claim-rows";
import { claimOf, runAll, runOnce } from "../run-once";
import { data, keyCall, link, newLink, newOffice, type Office } from "./setting";

afterAll(closePool);

const start = async (office: Office, body: object) =>
  data<Batch>(await keyCall(office, "POST", "/batches", body));
const get = async (office: Office, { _id }: Batch) =>
  data<Batch>(await keyCall(office, "GET", `/batches/${_id}`));
const links = async (office: Office, count: number) =>
  data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows: Array.from({ length: count }, (_, at) => link({ title: `Link ${at}` })),
    }),
  ).rows.flatMap(({ payment_link: one }) => one?._id ?? []);

/** Works one part of the batch that is due, and gives it back as a worker does at the end of its slice. */
async function workOnePart(office: Office): Promise<void> {
  const [claimed] = await claimOf(batchWork.due, office.businessId);
  if (!claimed) throw new Error("no batch is due");
  let asked = 0;
  const stopping = {
    get aborted() {
      return asked++ > 0;
    },
  } as AbortSignal;
  await workBatch(office.shop.ctx, claimed, stopping);
  await unscopedRelease(batchWork.due, [claimed], true);
}

test("a short batch that starts while a long one of the same business is under way ends before it", async () => {
  const office = await newOffice();
  const long = await start(office, { action: "cancel", ids: await links(office, 150) });
  await workOnePart(office);
  expect(await get(office, long)).toMatchObject({ status: "running", done: 100 });
  const id = await newLink(office);
  const short = await start(office, { action: "cancel", ids: [id] });
  await runOnce(batchWork, office.businessId);
  expect(await get(office, short)).toMatchObject({ status: "done", changed: 1 });
  expect(await get(office, long)).toMatchObject({ status: "running", done: 100 });
  await runAll(batchWork, office.businessId);
  expect(await get(office, long)).toMatchObject({ status: "done", changed: 150 });
});

test("the open batches are those that wait or run, however many ended since they began", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const waiting = await start(office, { action: "remind", ids: [id] });
  for (let more = 0; more < 6; more++) await links(office, 1);
  const ids = async (open: boolean) =>
    data<{ data: Batch[] }>(await keyCall(office, "GET", `/batches?open=${open}`)).data.map(
      (batch) => batch._id,
    );
  expect(await ids(true)).toEqual([waiting._id]);
  const ended = await ids(false);
  expect(ended).toHaveLength(6);
  expect(ended).not.toContain(waiting._id);
});
