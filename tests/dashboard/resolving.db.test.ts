import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { AuditEntry } from "@/lib/contract/business";
import type { Overview } from "@/lib/contract/overview";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import { script } from "@/lib/gateways/simulator/scripting";
import { data, keyCall, member, newLink, newOffice, type Office, pay, staffCall } from "./setting";

afterAll(closePool);

/** A link's payment, of which the gateway says that it took another amount. */
async function setAside(office: Office): Promise<string> {
  const { account } = office.shop;
  await script(account.connection.id, "find", "wrong_amount", { times: 1 });
  const link = await newLink(office);
  await pay(office, link);
  const id =
    data<{ data: Payment[] }>(await keyCall(office, "GET", `/payments?payment_link_id=${link}`))
      .data[0]?._id ?? "";
  return id;
}

test("owners and admins resolve an amount mismatch, staff and viewers do not, and the audit log says who", async () => {
  const office = await newOffice();
  const id = await setAside(office);
  const noticed = async () =>
    data<Overview>(await staffCall(office, "GET", "/overview")).attention.some(
      ({ kind }) => kind === "payment_mismatch",
    );
  expect(await noticed()).toBe(true);
  expect(data<PaymentWithPayer>(await keyCall(office, "GET", `/payments/${id}`))).toMatchObject({
    status: "unknown",
    resolvable_at: null,
  });
  const resolve = async (role: "staff" | "viewer" | "admin", by = "resolve") =>
    (
      await staffCall(
        office,
        "POST",
        `/payments/${id}/${by}`,
        { note: "Refunded" },
        await member(office, role),
      )
    ).status;
  expect([
    await resolve("staff"),
    await resolve("viewer"),
    await resolve("admin"),
    await resolve("admin", "close"),
  ]).toEqual([403, 403, 200, 409]);
  expect(await noticed()).toBe(false);
  expect(data<Payment>(await keyCall(office, "GET", `/payments/${id}`))).toMatchObject({
    status: "failed",
    flags: ["amount_mismatch", "resolved"],
    note: "Refunded",
  });
  const { data: entries } = data<{ data: AuditEntry[] }>(
    await staffCall(office, "GET", "/audit-log?per_page=100"),
  );
  expect(entries.filter(({ action }) => action === "resolvePayment")).toMatchObject([
    { object_id: id, details: { fields: ["note"] } },
  ]);
  expect(JSON.stringify(entries)).not.toContain("Refunded");
});
