import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Batch } from "@/lib/contract/batches";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { unscopedForgetItems } from "@/lib/domain/batches/rows";
import { batchWork } from "@/lib/flows/batch/job";
import { newId } from "@/lib/kernel/ids";
import { runAll } from "../run-once";
import { data, keyCall, link, newLink, newOffice, type Office } from "./setting";

afterAll(closePool);

const canUndo = async (office: Office, id: string) =>
  data<Batch>(await keyCall(office, "GET", `/batches/${id}`)).can_undo;
const age = (id: string, column: "created_at" | "finished_at", days: number) =>
  pool().query(
    `update batches set ${column} = (select ${column} - make_interval(days => $2)) where id = $1`,
    [id, days],
  );

test("an import can be undone for 30 days after its last call", async () => {
  const office = await newOffice();
  const importId = newId();
  const call = async () =>
    data(
      await keyCall(office, "POST", "/payment-links/bulk", {
        rows: [link()],
        import_id: importId,
      }),
    );
  await call();
  await age(importId, "created_at", 31);
  await age(importId, "finished_at", 29);
  expect(await canUndo(office, importId)).toBe(true);
  await age(importId, "finished_at", 2);
  expect(await canUndo(office, importId)).toBe(false);
  await call();
  expect(await canUndo(office, importId)).toBe(true);
  expect((await keyCall(office, "POST", `/batches/${importId}/undo`)).status).toBe(200);
});

test("the links of a batch are kept as long as it can be undone", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const { _id } = data<Batch>(
    await keyCall(office, "POST", "/batches", { action: "cancel", ids: [id] }),
  );
  await runAll(batchWork, office.businessId);
  await age(_id, "created_at", 31);
  await age(_id, "finished_at", 29);
  await unscopedForgetItems();
  data(await keyCall(office, "POST", `/batches/${_id}/undo`));
  await runAll(batchWork, office.businessId);
  const found = data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`));
  expect(found.status).toBe("Active");
  await age(_id, "finished_at", 2);
  await unscopedForgetItems();
  const { rows } = await pool().query("select from batch_items where batch_id = $1", [_id]);
  expect(rows).toEqual([]);
});
