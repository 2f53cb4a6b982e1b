import * as z from "zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { nouns } from "../contract/fixtures";
import { insertMail } from "@/lib/domain/mails/rows";
import { defineMailSending } from "@/lib/flows/mailing/job";
import type { MailTransport } from "@/lib/mail/transport";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { data, newOffice, type Office, staffCall } from "../dashboard/setting";
import { runOnce } from "../run-once";

/** Rows that were sealed under another KUTIP_SECRET, as after a start with the wrong one. */

/** Every column that is sealed, by table. */
const sealed: Record<string, readonly string[]> = {
  tokenizations: ["token", "method_id"],
  webhook_endpoints: ["secret", "previous_secret", "earlier_secret"],
  gateway_connections: ["secret", "callback_secret"],
  mails: ["html", "text"],
  idempotency_keys: ["answer"],
};

let office: Office;
beforeAll(async () => {
  office = await newOffice();
  for (const noun of Object.values(nouns)) await noun.make(office.shop.ctx);
  await mail("AAAA");
  for (const [table, columns] of Object.entries(sealed))
    for (const column of columns)
      await pool().query(
        `update ${table} set ${column} = 'AAAA' where business_id = $1 and ${column} is not null`,
        [office.businessId],
      );
});
afterAll(closePool);

/** A mail of the outbox in live mode, where it is sent to anybody. */
async function mail(content: string): Promise<string> {
  const id = newId();
  await insertMail(db, {
    id,
    businessId: office.businessId,
    mode: "live",
    kind: "receipt",
    cause: id,
    objectId: null,
    recipient: "ana@example.com",
    subject: "Receipt",
    html: content,
    text: content,
  });
  return id;
}

const lists = [...endpoints, ...staffEndpoints].filter(
  ({ response, path, access }) =>
    response instanceof z.ZodUnion && !path.includes("{") && access !== "person",
);

test("there are lists to look at", () => expect(lists.length).toBeGreaterThan(12));

test.each(lists.map(({ path }) => path))("GET %s is not failed by a row", async (path) => {
  const answer = await staffCall(office, "GET", path);
  expect(answer.body.message).toBeUndefined();
  expect(answer.status).toBe(200);
});

test("a token that cannot be opened is null, and the record is there", async () => {
  const { data: rows } = data<{ data: Record<string, unknown>[] }>(
    await staffCall(office, "GET", "/tokenizations"),
  );
  expect(rows).toMatchObject([{ token: null, activation_url: null, title: "Gold" }]);
});

test("a mail that cannot be opened fails alone; the others of its batch are sent", async () => {
  const [bad, good] = [await mail("AAAA"), await mail(seal("Thank you", "mail"))];
  const sent: string[] = [];
  const transport: MailTransport = {
    close: () => undefined,
    send: async ({ messageId }) => {
      sent.push(messageId);
      return { kind: "sent" };
    },
  };
  // Due before the mails of this business that other tests made.
  await pool().query("update mails set next_try_at = 'epoch' where id = any($1)", [[bad, good]]);
  await runOnce(defineMailSending(transport), office.businessId);
  const { rows } = await pool().query<{ id: string; status: string }>(
    "select id, status from mails where id = any($1) order by id = $2",
    [[bad, good], good],
  );
  expect(rows.map(({ status }) => status)).toEqual(["failed", "sent"]);
  expect(sent.filter((id) => id.includes(bad))).toEqual([]);
});
