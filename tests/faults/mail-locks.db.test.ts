import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { provideLimits } from "@/db/limits";
import { dueMails, insertMail, unscopedCloseMail } from "@/lib/domain/mails/rows";
import { create } from "@/lib/domain/payment-links/create";
import { defineMailSending, mailComposition } from "@/lib/flows/mailing/job";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import type { MailTransport } from "@/lib/mail/transport";
import { connectLive } from "../dashboard/setting";
import { lockUntilMissed, waitBriefly } from "../missed-lock";
import { newLink, newShop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { claimOf, runAll, runOnce } from "../run-once";

ownDatabaseEach();
afterEach(() => provideLimits());

test("mails of links are composed without waiting for transactions that have locked the links", async () => {
  const { ctx } = await newShop();
  const link = {
    email: "payer@example.com",
    currency: "MYR",
    amount: 500,
    title: "Satay",
  } as const;
  for (let made = 0; made < 2; made++) await create(ctx, { ...link, send_email: true });
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("select from payment_links for no key update");
    expect(await runOnce(mailComposition)).toBe(2);
  } finally {
    await client.query("rollback");
    client.release();
  }
  const { rowCount } = await db.execute(
    sql`select from mails m join payment_links l on l.id = m.object_id`,
  );
  expect(rowCount).toBe(2);
});

/** A shop with so many mails in live mode, about a link or about nothing. */
async function withMails(count: number, kind: "receipt" | "payment_link" = "receipt") {
  await waitBriefly();
  const shop = await newShop();
  const { businessId } = shop.ctx;
  const objectId = kind === "receipt" ? null : (await newLink(shop))._id;
  if (objectId !== null) {
    await connectLive({ businessId });
    await db.execute(sql`update payment_links set mode = 'live' where id = ${objectId}`);
  }
  const ids = Array.from({ length: count }, () => newId()).sort();
  for (const id of ids)
    await insertMail(db, {
      id,
      businessId,
      mode: "live",
      kind,
      cause: id,
      objectId,
      recipient: "payer@example.com",
      subject: id,
      html: seal("<p>Paid</p>", "mail"),
      text: seal("Paid", "mail"),
    });
  return { businessId, ids };
}

const statuses = async () => {
  const { rows } = await db.execute<{ status: string }>(sql`select status from mails order by id`);
  return rows.map(({ status }) => status);
};
const soon = { timeout: 30_000, interval: 10 };

test.each([
  ["its own row", "receipt", "select from mails where subject = $1 for update"],
  ["the row of its link", "payment_link", "select from payment_links where $1 <> '' for update"],
] as const)(
  "a mail that the server has taken is sent once though %s is locked for longer than a statement waits",
  async (_, kind, lock) => {
    const { businessId, ids } = await withMails(2, kind);
    const sent: string[] = [];
    const locked = Promise.withResolvers<() => Promise<void>>();
    const transport: MailTransport = {
      send: async ({ subject }) => {
        if (sent.push(subject) === 2) locked.resolve(await lockUntilMissed(lock, ids[0] ?? ""));
        await locked.promise;
        return { kind: "sent" };
      },
      close: () => undefined,
    };
    const job = defineMailSending(transport);
    const run = runOnce(job, businessId);
    const unlock = await locked.promise;
    await unlock();
    await run;
    await db.execute(sql`update mails set leased_until = null`);
    await runAll(job, businessId);
    expect(sent.sort()).toEqual(ids);
    expect(await statuses()).toEqual(["sent", "sent"]);
  },
  60_000,
);

test("a mail whose row is locked keeps none of its business from being closed, and a second closing counts no try", async () => {
  const { businessId, ids } = await withMails(3);
  const claimed = await claimOf(dueMails, businessId);
  const client = await pool("long").connect();
  const close = () => claimed.map((mail) => unscopedCloseMail(mail, "sent", null, null));
  try {
    await client.query("begin");
    await client.query("select from mails where id = $1 for update", [ids[0]]);
    const closed = Promise.allSettled(close());
    await expect.poll(statuses, soon).toEqual(["queued", "sent", "sent"]);
    expect((await closed).map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    await client.query("commit");
  } finally {
    client.release();
  }
  await Promise.all(close());
  const { rows } = await db.execute(sql`select status, tries from mails`);
  expect(rows).toEqual(Array(3).fill({ status: "sent", tries: 1 }));
});
