import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Batch, BatchReport } from "@/lib/contract/batches";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { batchWork } from "@/lib/flows/batch/job";
import { workBatch } from "@/lib/flows/batch/work";
import { payLate } from "../money/late-payment";
import { press } from "../money/setting-verbs";
import { claimOf, runAll } from "../run-once";
import { data, keyCall, newLink, newOffice, type Office } from "./setting";

afterAll(closePool);

const extendTo = "2031-01-31T12:00:00.000000Z";

/** A link with its payer at the gateway. */
async function withPayer(office: Office, values: Record<string, unknown> = {}): Promise<string> {
  const id = await newLink(office, values);
  expect(await press(office.shop.ctx, id)).toBeTruthy();
  return id;
}
const start = async (office: Office, body: object) =>
  data<Batch>(await keyCall(office, "POST", "/batches", body));
const payment = async (id: string) =>
  (await pool().query("select status from payments where payment_link_id = $1", [id])).rows[0]
    ?.status;

test.each([
  ["never expires", {}, "never_expires"],
  ["expires later", { expires_at: "2032-01-01T00:00:00.000000Z" }, "expires_later"],
  [
    "is due later",
    { due_at: "2031-06-01T00:00:00.000000Z", expires_at: "2032-01-01T00:00:00.000000Z" },
    "due_later",
  ],
])("an extension leaves the payer of a link that %s at the gateway", async (_, values, reason) => {
  const office = await newOffice();
  const id = await withPayer(office, values);
  const { _id } = await start(office, { action: "extend", ids: [id], expires_at: extendTo });
  await runAll(batchWork, office.businessId);
  expect(await payment(id)).toBe("requires_action");
  const report = data<BatchReport>(await keyCall(office, "GET", `/batches/${_id}/report`));
  expect(report.reasons).toEqual([{ reason, count: 1 }]);
});

test("an extension of a link that expires earlier takes the page away from its payer and extends it", async () => {
  const office = await newOffice();
  const id = await withPayer(office, { expires_at: "2030-01-01T00:00:00.000000Z" });
  await start(office, { action: "extend", ids: [id], expires_at: extendTo });
  await runAll(batchWork, office.businessId);
  expect(await payment(id)).toBe("cancelled");
  const link = data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`));
  expect(link.expires_at).toBe(extendTo);
});

test("a batch that was stopped takes the page away from no payer", async () => {
  const office = await newOffice();
  const id = await withPayer(office);
  const { _id } = await start(office, { action: "cancel", ids: [id] });
  const [claimed] = await claimOf(batchWork.due, office.businessId);
  if (!claimed) throw new Error("no batch is due");
  expect((await keyCall(office, "POST", `/batches/${_id}/stop`)).status).toBe(200);
  await workBatch(office.shop.ctx, claimed, new AbortController().signal);
  expect(await payment(id)).toBe("requires_action");
});

test("a payer who paid a link while it was cancelled is not reminded after the undo, but the link can be sent", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const work = () => runAll(batchWork, office.businessId);
  let cancelled = "";
  await payLate(office.shop.ctx, id, async () => {
    cancelled = (await start(office, { action: "cancel", ids: [id] }))._id;
    await work();
  });
  data(await keyCall(office, "POST", `/batches/${cancelled}/undo`));
  await work();
  const link = data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`));
  expect(link.status).toBe("Active");
  const { _id } = await start(office, { action: "remind", ids: [id] });
  await pool().query("update batches set starts_at = now() where id = $1", [_id]);
  await work();
  const report = data<BatchReport>(await keyCall(office, "GET", `/batches/${_id}/report`));
  expect(report.reasons).toEqual([{ reason: "paid", count: 1 }]);
  const mails = async () =>
    (await pool().query("select kind from mails where object_id = $1", [id])).rows;
  expect(await mails()).toEqual([]);
  expect((await keyCall(office, "POST", `/payment-links/${id}/send`)).status).toBe(200);
  expect(await mails()).toEqual([{ kind: "payment_link" }]);
});
