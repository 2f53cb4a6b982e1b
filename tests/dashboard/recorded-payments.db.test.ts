import { parse } from "csv-parse/sync";
import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Balance } from "@/lib/contract/ledger";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";
import type { Statement } from "@/lib/contract/statements";
import { pdfText } from "../../e2e/pdf-text";
import { bearer, data, file, link, newLink, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const linkNow = async (office: Office, id: string) =>
  data<PaymentLink>(await staffCall(office, "GET", `/payment-links/${id}`));
const recorded = (office: Office, id: string, version: number) =>
  staffCall(office, "POST", `/payment-links/${id}/payments`, { method: "cash", version });

test("a payment by hand is of the amount that its caller read, or is not recorded", async () => {
  const office = await newOffice();
  const id = await newLink(office, { amount: 1_000 });
  const { version } = await linkNow(office, id);
  data(await staffCall(office, "PUT", `/payment-links/${id}`, link({ amount: 2_000 })));
  const refused = await recorded(office, id, version);
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    code: "stale_version",
    current: { _id: id, amount: 2_000, version: version + 1 },
    changed_by: { kind: "person" },
  });
  expect(await linkNow(office, id)).toMatchObject({ status: "Active", paid: false });
  expect(data<Payment>(await recorded(office, id, version + 1)).amount).toBe(2_000);
});

test("an edit that is committed while the payment is being recorded is noticed too", async () => {
  const office = await newOffice();
  const id = await newLink(office, { amount: 1_000 });
  const { version } = await linkNow(office, id);
  const editor = await pool().connect();
  try {
    await editor.query("begin");
    const { rows } = await editor.query<{ pid: number }>(
      "update payment_links set amount = 2000, version = version + 1 where id = $1 returning pg_backend_pid() as pid",
      [id],
    );
    const recording = recorded(office, id, version);
    const waiting = async () => {
      const found = await pool().query(
        "select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))",
        [rows[0]?.pid],
      );
      return found.rowCount;
    };
    await expect.poll(waiting, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
    await editor.query("commit");
    expect((await recording).body).toMatchObject({
      code: "stale_version",
      current: { amount: 2_000 },
    });
  } finally {
    editor.release();
  }
  expect(await linkNow(office, id)).toMatchObject({ status: "Active", paid: false });
});

test("money that came by hand in an earlier month than it was booked in is named in the sums of both", async () => {
  const office = await newOffice();
  const [late, sameDay] = [
    await newLink(office, { amount: 18_500 }),
    await newLink(office, { amount: 700 }),
  ];
  const pastDay = "2025-10-30T04:00:00.000000Z";
  const byHand = { method: "bank_transfer" };
  for (const [id, more] of [
    [late, { received_at: pastDay }],
    [sameDay, {}],
  ] as const)
    data(await staffCall(office, "POST", `/payment-links/${id}/payments`, { ...byHand, ...more }));
  const otherDays = async (path: string) =>
    data<Balance | Statement>(await staffCall(office, "GET", path)).other_days;
  const came = [{ currency: "MYR", booked: 18_500, paid: 0 }];
  const booked = [{ currency: "MYR", booked: 0, paid: 18_500 }];
  const october = "created_from=2025-10-01T00:00:00Z&created_to=2025-10-31T23:59:59.999999Z";
  expect(await otherDays(`/balance?${october}`)).toEqual(came);
  expect(await otherDays(`/balance?${october}&currency=USD`)).toEqual([]);
  expect(await otherDays("/statements/2025-10")).toEqual(came);
  expect(await otherDays("/balance?created_from=2025-11-01T00:00:00Z")).toEqual(booked);
  expect(await otherDays(`/statements/${new Date().toISOString().slice(0, 7)}`)).toEqual(booked);
  expect(await otherDays("/balance?created_from=2025-10-01T00:00:00Z")).toEqual([]);
  expect(await otherDays("/balance")).toEqual([]);
  const { currencies } = data<Statement>(await staffCall(office, "GET", "/statements/2025-10"));
  expect(currencies).toEqual([]);

  const month = new Date().toISOString().slice(0, 7);
  const pdf = async (of: string) => {
    const { body } = await file(`/statements/${of}/pdf`, bearer(office.key));
    return pdfText(Buffer.from(await new Response(body).arrayBuffer())).replaceAll(/\s/g, "");
  };
  expect(await pdf("2025-10")).toContain("185.00cameinthismonthandwasbookedinanothermonth.");
  const booking = await pdf(month);
  expect(booking).toContain("185.00wasbookedinthismonthandcameinanothermonth.");
  expect(booking.match(/came30October2025/g)).toHaveLength(1);
  const csv = await (await file(`/statements/${month}/export`, bearer(office.key))).text();
  const rows = parse(csv, { columns: true }) as { gross: string; paid_at: string }[];
  expect(rows.find(({ gross }) => gross === "185.00")?.paid_at).toBe(pastDay);
  expect(rows.find(({ gross }) => gross === "7.00")?.paid_at.slice(0, 7)).toBe(month);
});
