import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { batches } from "@/db/schema/batches";
import type { Batch } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import { batchWork } from "@/lib/flows/batch/job";
import { workBatch } from "@/lib/flows/batch/work";
import { newId } from "@/lib/kernel/ids";
import { runAll } from "../run-once";
import { data, keyCall, link, newOffice, type Office } from "./setting";

afterAll(closePool);

const send = async (office: Office, path: string, body?: object) =>
  data<Batch>(await keyCall(office, "POST", path, body));
const undo = (office: Office, id: string) => send(office, `/batches/${id}/undo`);
const stop = (office: Office, id: string) => send(office, `/batches/${id}/stop`);
const get = async (office: Office, id: string) =>
  data<Batch>(await keyCall(office, "GET", `/batches/${id}`));
const work = (office: Office) => runAll(batchWork, office.businessId);

/** Works the next hundred links of a batch. */
async function workPart(office: Office, id: string): Promise<void> {
  const [row] = await db.select().from(batches).where(eq(batches.id, id));
  if (!row) throw new Error("no such batch");
  const stopping = new AbortController();
  const worked = workBatch(office.shop.ctx, row, stopping.signal);
  stopping.abort();
  await worked;
}

/** An import of so many links; its id. */
async function imported(office: Office, count: number): Promise<string> {
  const importId = newId();
  const rows = Array.from({ length: count }, (_, at) => link({ title: `Link ${at}` }));
  const body = { rows, import_id: importId };
  const made = data<BulkReport>(await keyCall(office, "POST", "/payment-links/bulk", body));
  expect(made.created).toBe(count);
  return importId;
}

async function statuses(office: Office): Promise<Record<string, number>> {
  const { rows } = await pool().query<{ status: string; n: number }>(
    "select status, count(*)::int as n from payment_links where business_id = $1 group by status",
    [office.businessId],
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** What can be undone is started here, and what its undo makes of the links. */
const undoable: Record<string, [(office: Office) => Promise<string>, undone: string]> = {
  cancellation: [
    async (office) => {
      await imported(office, 150);
      const { _id } = await send(office, "/batches", { action: "cancel", expected: 150 });
      await work(office);
      return _id;
    },
    "Active",
  ],
  import: [(office) => imported(office, 150), "Cancelled"],
};

test.each(Object.entries(undoable))(
  "the undo of a change that is stopped leaves the rest to another undo: %s",
  async (_of, [make, undone]) => {
    const office = await newOffice();
    const id = await make(office);
    const first = await undo(office, id);
    await workPart(office, first._id);
    expect(await get(office, id)).toMatchObject({ undone_by: first._id, can_undo: false });
    expect(await stop(office, first._id)).toMatchObject({ done: 100, changed: 100, total: 150 });
    expect(await get(office, id)).toMatchObject({ undone_by: null, can_undo: true });
    const second = await undo(office, id);
    await work(office);
    expect(await get(office, second._id)).toMatchObject({ changed: 50, skipped: 100 });
    expect(await statuses(office)).toEqual({ [undone]: 150 });
    expect(await get(office, id)).toMatchObject({ undone_by: second._id, can_undo: false });
  },
);

test("an undo that had reached every link when it was stopped is not repeated", async () => {
  const office = await newOffice();
  const id = await imported(office, 100);
  const undone = await undo(office, id);
  await workPart(office, undone._id);
  expect(await stop(office, undone._id)).toMatchObject({ status: "stopped", done: 100 });
  expect(await get(office, id)).toMatchObject({ undone_by: undone._id, can_undo: false });
});
