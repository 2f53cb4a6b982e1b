import { type SQL, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { record } from "@/lib/domain/audit/record";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { newOffice } from "./dashboard/setting";
import { payer } from "./furnished-payer";

afterAll(closePool);

const faultOf = async (businessId: number) =>
  (await verifyAudit()).find((one) => one.businessId === businessId)?.fault;

/** What anyone with the database's password could do. */
const tamper = (statement: SQL) =>
  withTransaction(async (tx) => {
    await tx.execute(sql`alter table audit_entries disable trigger audit_entries_append_only`);
    await tx.execute(statement);
    await tx.execute(sql`alter table audit_entries enable trigger audit_entries_append_only`);
  });

test("the audit log shows a redaction without an erasure", async () => {
  const office = await newOffice();
  const { businessId } = office;
  const entry = (action: string, details = {}) =>
    withTransaction((tx) => record(tx, businessId, { kind: "operator" }, { action, details }));
  await entry("one");
  await entry("two", { redacted: [1] });
  expect(await faultOf(businessId)).toBeNull();
  await tamper(
    sql`update audit_entries set details = '{}', action = 'none', redacted_by = 2 where business_id = ${businessId} and seq = 1`,
  );
  expect(await faultOf(businessId)).toContain("entry 1 was redacted");
});

test("the audit log shows a change after an erasure", async () => {
  const office = await newOffice();
  const email = payer();
  const { ctx } = office.shop;
  const { businessId } = office;
  const note = (about: string) =>
    withTransaction((tx) =>
      record(
        tx,
        businessId,
        { kind: "operator" },
        { action: "noted", details: { about, by: "Ana" } },
      ),
    );
  await note(email);
  await erasePayer(ctx, email);
  // Both addresses of one entry are erased, one after the other.
  const [first, second] = [payer(), payer()];
  await note(`${first} ${second}`);
  await erasePayer(ctx, first);
  await erasePayer(ctx, second);
  expect(await faultOf(businessId)).toBeNull();
  await tamper(
    sql`update audit_entries set details = replace(details, 'Ana', 'Bob') where business_id = ${businessId} and seq = 3`,
  );
  expect(await faultOf(businessId)).toBe("entry 3 was changed after its erasure");
});

test("the audit log takes an erasure that noted no hashes at its word", async () => {
  const { businessId } = await newOffice();
  const entry = (action: string, details: Record<string, unknown>) =>
    withTransaction((tx) => record(tx, businessId, { kind: "operator" }, { action, details }));
  await entry("noted", { by: "Ana" });
  await entry("payer:erase", { redacted: [1] });
  await tamper(
    sql`update audit_entries set details = '{}', redacted_by = 2 where business_id = ${businessId} and seq = 1`,
  );
  expect(await faultOf(businessId)).toBeNull();
});

test("the audit log and events are changed by no other statement", async () => {
  for (const table of ["events", "audit_entries"])
    await expect(
      db.execute(sql.raw(`update ${table} set mode = mode where business_id = 0`)),
    ).rejects.toMatchObject({ cause: { code: "23001" } });
});
