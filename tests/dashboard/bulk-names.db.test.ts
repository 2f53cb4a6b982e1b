import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { data, keyCall, link, newLink, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const report = async (office: Office, rows: unknown[], more: object = {}) =>
  data<BulkReport>(await keyCall(office, "POST", "/payment-links/bulk", { rows, ...more }));

test("a row names its customer; one that has a name keeps it, and the report says so before and after", async () => {
  const office = await newOffice();
  const [named, nameless, fresh] = ["ana", "ben", "cas"].map((one) => `${one}@names.example`);
  await keyCall(office, "POST", "/customers", { email: named, name: "Ana Costa" });
  await newLink(office, { email: nameless });
  const rows = [
    link({ email: named, customer_name: "Puan Ana" }),
    link({ email: nameless?.toUpperCase(), customer_name: "Ben", phone_no: "+60 12" }),
    link({ email: fresh, customer_name: "Siti Bakar" }),
    link({ email: fresh, customer_name: "Ali Bakar" }),
    link({ email: fresh }),
    link({ email: fresh, customer_name: "n".repeat(101) }),
  ];
  const kept = ["Ana Costa", null, null, "Siti Bakar", null, null];
  const before = await report(office, rows, { dry_run: true });
  expect(before.rows.map((row) => row.kept_name)).toEqual(kept);
  expect(Object.keys(before.rows[5]?.errors ?? {})).toEqual(["customer_name"]);
  expect((await report(office, rows)).rows.map((row) => row.kept_name)).toEqual(kept);
  const customers = await keyCall(office, "GET", "/customers?sort=email");
  expect(
    data<{ data: { email: string; name: string; phone_no: string | null }[] }>(customers)
      .data.map(({ email, name, phone_no }) => [email, name, phone_no])
      .sort(),
  ).toEqual([
    [named, "Ana Costa", null],
    [nameless, "Ben", "+60 12"],
    [fresh, "Siti Bakar", null],
  ]);
});

test("a name from an import is an edit by the one who imports, so that a form from before saves nothing over it", async () => {
  const office = await newOffice();
  const email = "dewi@names.example";
  const made = await staffCall(office, "POST", "/customers", { email });
  const { _id: id } = data<{ _id: string }>(made);
  await report(office, [link({ email, customer_name: "Dewi" })]);
  const edit = await staffCall(office, "GET", `/last-edit?kind=customer&id=${id}`);
  expect(data(edit)).toMatchObject({ version: 2, changed_by: { kind: "key" } });
  const stale = await staffCall(office, "PUT", `/customers/${id}`, { version: 1, name: "Dee" });
  expect(stale.status).toBe(409);
  const events = data<{ data: { data: object }[] }>(
    await keyCall(office, "GET", `/events?object_id=${id}&type=customer.updated`),
  ).data;
  expect(events).toMatchObject([{ data: { name: "Dewi", email } }]);
});
