import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { Payment } from "@/lib/contract/payments";
import { chargeToken } from "@/lib/contract/tokenizations";
import type { Claim } from "@/lib/domain/context";
import { claimKey, noteClaimBegun } from "@/lib/domain/idempotency/claim";
import { newId } from "@/lib/kernel/ids";
import { readyPath } from "../contract/fixtures";
import { api } from "../contract/setting";
import { data, member, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const body = { amount: 3_200, currency: "USD", title: "Late fee" };

type Lost = { office: Office; path: string; key: string };
async function setting(): Promise<Lost> {
  const office = await newOffice();
  return { office, path: await readyPath(chargeToken, office.shop.ctx), key: newId() };
}
const charge = ({ office, path, key }: Lost) =>
  api("POST", path, {
    headers: { ...office.headers, origin: "http://localhost:3000", "idempotency-key": key },
    body,
  });
const settle = ({ office, path, key }: Lost, headers = office.headers) =>
  staffCall(
    office,
    "POST",
    "/requests/settle",
    { method: "POST", path: `/api${path}`, idempotency_key: key },
    headers,
  );
const outcome = async (lost: Lost) => data<{ outcome: string }>(await settle(lost)).outcome;
const payments = async ({ office }: Lost) =>
  (await pool().query("select id from payments where business_id = $1", [office.businessId])).rows
    .length;
const claimed = async ({ office, path, key }: Lost, by = JSON.stringify(body)) =>
  (await claimKey(office.shop.ctx, key, "POST", `/api${path}`, by)) as Claim;
/** The process that runs the request has died. */
const dead = ({ office }: Lost) =>
  pool().query("update idempotency_keys set locked_until = now() where business_id = $1", [
    office.businessId,
  ]);

test("a request that ran gets its answer under the same key, and does nothing again", async () => {
  const lost = await setting();
  const first = await charge(lost);
  expect(await outcome(lost)).toBe("ran");
  expect((await charge(lost)).text).toBe(first.text);
  expect(await payments(lost)).toBe(1);
});

test("a request that has not arrived never runs after it was settled", async () => {
  const lost = await setting();
  expect(await outcome(lost)).toBe("never_ran");
  const late = await charge(lost);
  expect(late.status).toBe(422);
  expect(Object.keys(late.body.errors as object)).toEqual(["idempotency_key"]);
  expect(await outcome(lost)).toBe("never_ran");
  expect(await payments(lost)).toBe(0);
});

test("while it runs it is running, and asking changes nothing", async () => {
  const lost = await setting();
  const claim = await claimed(lost);
  expect(await outcome(lost)).toBe("running");
  await noteClaimBegun({ ...lost.office.shop.ctx, claim }, db, "x");
});

test("a run that died before it began never goes on, however late it wakes", async () => {
  const lost = await setting();
  const claim = await claimed(lost);
  await dead(lost);
  expect(await outcome(lost)).toBe("never_ran");
  await expect(
    noteClaimBegun({ ...lost.office.shop.ctx, claim }, db, newId()),
  ).rejects.toMatchObject({ status: 409 });
  expect((await charge(lost)).status).toBe(422);
});

test("a run that died after it began is continued, not repeated", async () => {
  const lost = await setting();
  const first = data<Payment>(await charge(lost));
  await pool().query(
    "update idempotency_keys set answer = null, begun = $2, locked_until = now() where business_id = $1",
    [lost.office.businessId, first._id],
  );
  expect(await outcome(lost)).toBe("ran");
  expect(data<Payment>(await charge(lost))._id).toBe(first._id);
  expect(await payments(lost)).toBe(1);
});

test("a request that failed is never_ran: only a success keeps its key", async () => {
  const lost = await setting();
  const [, , id] = lost.path.split("/");
  await pool().query("update tokenizations set status = 'revoked' where id = $1", [id]);
  expect((await charge(lost)).status).toBe(409);
  expect(await outcome(lost)).toBe("never_ran");
});

test("those who may change something may settle; reading leaves no audit entry, using a key up leaves one", async () => {
  const lost = await setting();
  expect((await settle(lost, await member(lost.office, "viewer"))).status).toBe(403);
  const entries = async () =>
    (
      await pool().query(
        "select action from audit_entries where business_id = $1 and action = 'settleRequest'",
        [lost.office.businessId],
      )
    ).rows.length;
  expect(await outcome(lost)).toBe("never_ran");
  expect(await outcome(lost)).toBe("never_ran");
  expect(await entries()).toBe(1);
  const other = await setting();
  await charge(other);
  expect(await outcome({ ...other, office: lost.office })).toBe("never_ran");
  expect(await outcome(other)).toBe("ran");
});

test("what is no call of the API is refused", async () => {
  const { office } = await setting();
  const bad = await staffCall(office, "POST", "/requests/settle", {
    method: "GET",
    path: "/pay?id=1",
    idempotency_key: "a b",
  });
  expect(Object.keys(bad.body.errors as object).sort()).toEqual([
    "idempotency_key",
    "method",
    "path",
  ]);
});
