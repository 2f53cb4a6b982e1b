import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, onConnection, pool } from "@/db/client";
import type { Customer } from "@/lib/contract/customers";
import type { Found } from "@/lib/contract/search";
import { recordsReadForPhone } from "@/lib/contract/values";
import { customersOfPhone } from "@/lib/domain/customers/rows";
import { payersOfPhone } from "@/lib/domain/payment-links/list-rows";
import { phoneIn } from "@/lib/domain/search/phones";
import { data, keyCall, newLink, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const EMAIL = "ana@example.com";
const FIRST = "03-1111 2222";
const LATER = "0812-3456-789";

const send = async <T = { _id: string }>(
  office: Office,
  method: string,
  path: string,
  body?: object,
) => data<T>(await keyCall(office, method, path, body));
const customers = async (office: Office, q: string) =>
  data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`)).filter(
    ({ kind }) => kind === "customer",
  );
const titles = async (office: Office, q: string) =>
  (await customers(office, q)).map(({ title }) => title);

test.each(["0812-3456-789", "0812.3456.789", "0812 3456 789", "+62 812-3456-789", "08123456789"])(
  "the search finds a phone number that was written as %s however it is asked for",
  async (phone_no) => {
    const office = await newOffice();
    await send(office, "POST", "/customers", { email: EMAIL, phone_no });
    for (const q of ["08123456789", "0812-3456-789", "+62 812 3456 789", "0812.3456.789"])
      expect([q, await titles(office, q)]).toEqual([q, [EMAIL]]);
    expect(await titles(office, "08123456780")).toEqual([]);
  },
);

const newSubscription = async (office: Office, phone_no: string) => {
  const { _id } = await send(office, "POST", "/packages", {
    ...{ name: "Gold", amount: 4_900, currency: "MYR" },
    ...{ frequency: "monthly", date_charge_start: "2031-01-31" },
  });
  return send(office, "POST", "/subscriptions", { email: EMAIL, package_id: _id, phone_no });
};
/** Each way in which a record of a customer comes to have another number. */
const ways: Record<string, (office: Office) => Promise<unknown>> = {
  "a later payment link": (office) => newLink(office, { email: EMAIL, phone_no: LATER }),
  "a later token": (office) =>
    send(office, "POST", "/tokenizations/create-token", {
      ...{ email: EMAIL, title: "Gold", description: "Monthly", phone_no: LATER },
    }),
  "a later subscription": (office) => newSubscription(office, LATER),
  "a change of a subscription": async (office) => {
    const { _id } = await newSubscription(office, FIRST);
    return send(office, "PUT", `/subscriptions/${_id}`, { phone_no: LATER });
  },
};

test.each(Object.keys(ways))(
  "the search finds a customer by the phone number of %s, in the same business and mode alone",
  async (way) => {
    const [office, other] = [await newOffice(), await newOffice()];
    await newLink(office, { email: EMAIL, phone_no: FIRST });
    await ways[way]?.(office);
    const listed = await send<{ data: Customer[] }>(office, "GET", "/customers");
    expect(listed.data.map(({ phone_no }) => phone_no)).toEqual([FIRST]);
    expect(await customers(office, "+62 8123456789")).toMatchObject([
      { title: EMAIL, matched: "phone_no" },
    ]);
    expect(await titles(office, FIRST)).toEqual([EMAIL]);
    expect(await titles(other, LATER)).toEqual([]);
    const live = { ...office.headers, "x-kutip-mode": "live" };
    const answer = await staffCall(office, "GET", `/search?q=${LATER}`, undefined, live);
    expect(data<Found[]>(answer)).toEqual([]);
  },
);

test("the phone number of a cancelled subscription finds no customer", async () => {
  const office = await newOffice();
  await newLink(office, { email: EMAIL, phone_no: FIRST });
  const { _id } = await newSubscription(office, LATER);
  await send(office, "PUT", `/subscriptions/${_id}`, { status: "cancel" });
  expect(await titles(office, LATER)).toEqual([]);
});

test("the search finds an old customer by phone number behind many with the same last digits, and before newer ones that only hold its digits", async () => {
  const office = await newOffice();
  await send(office, "POST", "/customers", { email: "old@example.com", phone_no: "012-888 4452" });
  await db.execute(sql`
    insert into customers (business_id, mode, id, email, phone_no, created_at)
    select ${office.businessId}, 'test', lpad(to_hex(i), 24, '0'), 'newer' || i || '@example.com', '012-' || 100 + i || ' 4452', now() + interval '1 minute'
    from generate_series(1, 150) i`);
  expect(await titles(office, "+60128884452")).toEqual(["old@example.com"]);
  for (let made = 0; made < 6; made++)
    await send(office, "POST", "/customers", { email: `0128884452.${made}@example.com` });
  const [first, ...others] = await titles(office, "0128884452");
  expect(first).toBe("old@example.com");
  expect(others).toHaveLength(4);
});

test("a phone number is looked up by the index of customers, and in the newest links alone, however many there are", async () => {
  const { ctx } = (await newOffice()).shop;
  // Each link makes a customer: in parts, no statement comes near its limit of time on a busy machine.
  for (let part = 0; part < 12; part++)
    await db.execute(sql`
      insert into payment_links (business_id, mode, id, email, currency, amount, title, phone_no, created_at)
      select ${ctx.businessId}, 'test', lpad(to_hex(i), 24, '0'), 'payer' || i || '@example.com', 'MYR', 500, 'Order',
        '+60 1' || left(n, 1) || '-' || substr(n, 2, 3) || '-' || substr(n, 5), now() - make_interval(secs => i)
      from generate_series(${part}::int * 1000 + 1, ${part}::int * 1000 + 1000) i, lpad((i * 7)::text, 7, '0') n`);
  await db.execute(sql`analyze payment_links, customers`);
  const phone = phoneIn("010-000 049");
  if (!phone) throw new Error("that is a phone number");
  const client = await pool().connect();
  const read = async () => {
    const { rows } = await client.query<{ read: string }>(
      "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables where relname in ('payment_links', 'customers')",
    );
    return Number(rows[0]?.read);
  };
  try {
    await client.query("begin");
    const before = await read();
    const own = await onConnection(client, () => customersOfPhone(ctx, phone, 5));
    expect(own.map(({ email }) => email)).toEqual(["payer7@example.com"]);
    const between = await read();
    expect(between - before).toBeLessThan(700);
    const near = { rows: recordsReadForPhone, limit: 5 };
    const given = await onConnection(client, () => payersOfPhone(ctx, phone.digits, near));
    expect(given).toEqual(["payer7@example.com"]);
    expect((await read()) - between).toBeLessThanOrEqual(recordsReadForPhone);
  } finally {
    await client.query("rollback");
    client.release();
  }
});
