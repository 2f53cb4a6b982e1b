import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { EqualCharges } from "@/lib/contract/lost-answers";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import type { Payment } from "@/lib/contract/payments";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { chargeToken } from "@/lib/contract/tokenizations";
import { readyPath } from "../contract/fixtures";
import { data, keyCall, mailed, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const terms = { amount: 3_200, currency: "USD", title: "Late fee", reference: "INV-7" };

/** An active token of the office, and a charge of it. */
async function newToken(office: Office): Promise<string> {
  return (await readyPath(chargeToken, office.shop.ctx)).split("/")[2] ?? "";
}
const charge = async (office: Office, token: string, values: object = {}) =>
  data<Payment>(
    await keyCall(office, "POST", `/tokenizations/${token}/charge`, { ...terms, ...values }),
  );
const equal = async (office: Office, token: string, query = "amount=3200&currency=USD") =>
  data<EqualCharges>(
    await staffCall(office, "GET", `/tokenizations/${token}/equal-charges?${query}`),
  ).payments.map(({ _id }) => _id);
const aged = (id: string, minutes: number) =>
  pool().query("update payments set started_at = now() - make_interval(mins => $2) where id = $1", [
    id,
    minutes,
  ]);

test("an equal charge is one of the same saved method, amount and currency within 15 minutes that did not fail", async () => {
  const office = await newOffice();
  const [token, other] = [await newToken(office), await newToken(office)];
  expect(await equal(office, token)).toEqual([]);
  const first = await charge(office, token);
  const second = await charge(office, token, { title: "Another title", reference: undefined });
  await charge(office, token, { amount: 3_201 });
  await charge(office, token, { currency: "MYR" });
  await charge(office, other);
  expect(await equal(office, token)).toEqual([second._id, first._id]);
  await aged(first._id, 14);
  expect(await equal(office, token)).toEqual([second._id, first._id]);
  await aged(first._id, 15);
  expect(await equal(office, token)).toEqual([second._id]);
  await pool().query("update payments set status = 'failed' where id = $1", [second._id]);
  expect(await equal(office, token)).toEqual([]);
  const bad = await staffCall(office, "GET", `/tokenizations/${token}/equal-charges?amount=x`);
  expect(Object.keys(bad.body.errors as object)).toEqual(["amount", "currency"]);
  const stranger = await newOffice();
  expect(
    (
      await staffCall(
        stranger,
        "GET",
        `/tokenizations/${token}/equal-charges?amount=3200&currency=USD`,
      )
    ).status,
  ).toBe(404);
});

test("a program may charge the same amount again at once", async () => {
  const office = await newOffice();
  const token = await newToken(office);
  const made = [await charge(office, token), await charge(office, token)];
  expect(made.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
});

test("the payer gets a receipt for a charge of a saved method, and a mail for its refund; the token lists both", async () => {
  const office = await newOffice();
  const token = await newToken(office);
  const payment = await charge(office, token);
  await mailed(token, 1);
  data(await keyCall(office, "POST", `/payments/${payment._id}/refunds`, { amount: 700 }));
  await mailed(token, 2);
  const listed = data<{ data: Mail[] }>(
    await staffCall(office, "GET", `/mails?tokenization_id=${token}`),
  ).data;
  expect(listed).toEqual([
    expect.objectContaining({ kind: "token_refund", tokenization_id: token }),
    expect.objectContaining({
      kind: "token_receipt",
      recipient: "ana@example.com",
      tokenization_id: token,
      payment_link_id: null,
      subscription_id: null,
    }),
  ]);
  const receipt = data<MailWithContent>(await staffCall(office, "GET", `/mails/${listed[1]?._id}`));
  expect(receipt.subject).toMatch(/^\[Test\] Receipt: USD 32\.00 paid to /);
  for (const said of ["Late fee", "INV-7", "Visa 4242", payment._id])
    expect(receipt.text).toContain(said);
  const entries = data<TimelineEntry[]>(
    await staffCall(office, "GET", `/tokenizations/${token}/timeline`),
  );
  expect(entries.filter(({ kind }) => kind.startsWith("mail."))).toHaveLength(2);
  await pool().query("update mails set status = 'sent', next_try_at = null where object_id = $1", [
    token,
  ]);
  expect(
    data<Mail>(await staffCall(office, "POST", `/mails/${listed[1]?._id}/resend`)),
  ).toMatchObject({ kind: "token_receipt", tokenization_id: token, resent_from: listed[1]?._id });
});

test("a charge that fails mails no receipt", async () => {
  const office = await newOffice();
  const token = await newToken(office);
  await pool().query("update tokenizations set method_id = $2 where id = $1", [
    token,
    (
      await pool().query("select method_id from tokenizations where id = $1", [
        await newToken(await newOffice()),
      ])
    ).rows[0].method_id,
  ]);
  expect((await charge(office, token)).status).toBe("failed");
  const receiptEvents = await pool().query(
    "select type from events where business_id = $1 and mail is not null",
    [office.businessId],
  );
  expect(receiptEvents.rows).toEqual([]);
});
