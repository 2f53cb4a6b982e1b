import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { readMigrations } from "@/db/migration-files";
import type { Customer, CustomerTotals } from "@/lib/contract/customers";
import type { LoggedRequest } from "@/lib/contract/request-log";
import type { Found } from "@/lib/contract/search";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import {
  bearer,
  data,
  file,
  keyCall,
  link,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
  written,
} from "./setting";
import { api } from "../contract/setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
afterAll(closePool);

let office: Office;
beforeAll(async () => {
  office = await newOffice();
});

const address = (name = "ana") => `${name}.${newId().slice(-8)}@example.com`;
const send = async <T = { _id: string }>(method: string, path: string, body?: object) =>
  data<T>(await keyCall(office, method, path, body));
const customersOf = async (email: string) =>
  (await send<{ data: Customer[] }>("GET", `/customers?email=${encodeURIComponent(email)}`)).data;
const customerOf = async (email: string): Promise<Customer> => {
  const [customer] = await customersOf(email);
  if (!customer) throw new Error(`${email} has no customer`);
  return customer;
};
const newPackage = () =>
  send("POST", "/packages", {
    ...{ name: "Gold", amount: 4_900, currency: "MYR" },
    ...{ frequency: "monthly", date_charge_start: "2031-01-31" },
  });
const timelineOf = (id: string) => send<TimelineEntry[]>("GET", `/customers/${id}/timeline`);

describe("a customer is made by the first record of an address", () => {
  /** Each way a record comes to have an address. */
  const ways: Record<string, (email: string) => Promise<unknown>> = {
    link: (email) => newLink(office, { email }),
    bulk: (email) =>
      send("POST", "/payment-links/bulk", { rows: [link({ email }), link({ email })] }),
    token: (email) =>
      send("POST", "/tokenizations/create-token", { email, title: "T", description: "D" }),
    subscription: async (email) =>
      send("POST", "/subscriptions", { email, package_id: (await newPackage())._id }),
    edit: async (email) => send("PUT", `/payment-links/${await newLink(office)}`, link({ email })),
    "edit of a subscription": async (email) => {
      const made = { email: address(), package_id: (await newPackage())._id };
      const { _id } = await send("POST", "/subscriptions", made);
      return send("PUT", `/subscriptions/${_id}`, { email });
    },
  };

  test.each(Object.keys(ways))("a %s", async (way) => {
    const email = address();
    await ways[way]?.(email);
    expect((await customersOf(email)).map((one) => one.email)).toEqual([email]);
  });

  test("whatever is written for an address in whatever case and at once, there is one customer", async () => {
    const anyCase = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => `${text[0]?.toUpperCase()}${text.slice(1)}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(ways)), anyCase), {
          minLength: 2,
          maxLength: 6,
        }),
        async (records) => {
          const email = address();
          await Promise.all(records.map(([way, cased]) => ways[way]?.(cased(email))));
          expect((await customersOf(email.toUpperCase())).length).toBe(1);
        },
      ),
      { numRuns: 10 },
    );
  });

  test("many new addresses are written at once in any order, by imports and one by one", async () => {
    const emails = Array.from({ length: 150 }, (_, at) => address(`p${at}`));
    const rows = (list: string[]) => ({ rows: list.map((email) => link({ email })) });
    await Promise.all([
      send("POST", "/payment-links/bulk", rows(emails)),
      send("POST", "/payment-links/bulk", rows([...emails].reverse())),
      ...emails.slice(50, 110).map((email) => newLink(office, { email })),
    ]);
    for (const email of emails.slice(0, 120).filter((_, at) => at % 10 === 0))
      expect(await customersOf(email)).toHaveLength(1);
  });

  test("an import waits for another writer's new customer before it holds one of its own", async () => {
    const [first, last] = [address("a"), address("z")];
    const between = Array.from({ length: 120 }, () => address("m"));
    const client = await pool().connect();
    const insert = (email: string) =>
      client.query(
        "insert into customers (business_id, mode, id, email) values ($1, 'test', $2, $3) on conflict do nothing",
        [office.businessId, newId(), email],
      );
    try {
      await client.query("begin");
      await insert(first);
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      const list = [last, ...between, first].map((email) => link({ email }));
      const imported = send("POST", "/payment-links/bulk", { rows: list });
      const waiting = async () =>
        (
          await pool().query<{ n: number }>(
            "select count(*)::int as n from pg_stat_activity where $1 = any(pg_blocking_pids(pid))",
            [rows[0]?.pid],
          )
        ).rows[0]?.n;
      await expect.poll(waiting, { timeout: 15_000, interval: 20 }).toBe(1);
      await insert(last);
      await client.query("commit");
      await imported;
    } finally {
      await client.query("rollback");
      client.release();
    }
    for (const email of [first, last]) expect(await customersOf(email)).toHaveLength(1);
  });

  test("has the phone number of the record, and a later one only while nobody has edited the customer", async () => {
    const [first, later, edited] = [address(), address(), address()];
    await newLink(office, { email: first, phone_no: "012 1" });
    await newLink(office, { email: first, phone_no: "012 2" });
    expect((await customerOf(first)).phone_no).toBe("012 1");
    await newLink(office, { email: later });
    await newLink(office, { email: later, phone_no: "012 3" });
    expect(await customerOf(later)).toMatchObject({ phone_no: "012 3", version: 2 });
    await newLink(office, { email: edited });
    await send("PUT", `/customers/${(await customerOf(edited))._id}`, { name: "No phone" });
    await newLink(office, { email: edited, phone_no: "012 4" });
    expect((await customerOf(edited)).phone_no).toBeNull();
  });

  test("the backfill makes those of earlier records, once, with their first moment and last number", async () => {
    const email = address();
    const first = await newLink(office, { email: email.toUpperCase() });
    await newLink(office, { email, phone_no: "012 9" });
    await send("DELETE", `/payment-links/${first}`);
    const age = "update payment_links set created_at = now() - interval '9 days' where id = $1";
    await pool().query(age, [first]);
    const erased = [await newLink(office), ERASED_EMAIL];
    await pool().query("update payment_links set email = $2 where id = $1", erased);
    await pool().query("delete from customers where business_id = $1", [office.businessId]);
    const backfill = readMigrations().find(({ tag }) =>
      tag.endsWith("_customers_of_earlier_records"),
    );
    expect(backfill?.batches).toBe(true);
    const run = async () => (await pool().query(backfill?.statements[0] ?? "")).rowCount ?? 0;
    expect(await run()).toBeGreaterThan(0);
    expect(await run()).toBe(0);
    const customer = await customerOf(email);
    expect(customer).toMatchObject({ email: email.toUpperCase(), phone_no: "012 9" });
    expect(Date.now() - Date.parse(customer.created_at)).toBeGreaterThan(8 * 86_400_000);
    expect(await customersOf(ERASED_EMAIL)).toEqual([]);
  });
});

describe("a customer by hand", () => {
  test("of an address that has one is refused on the field, in any case and at once", async () => {
    const email = address();
    const answers = await Promise.all(
      [email, email.toUpperCase(), email].map((one) =>
        keyCall(office, "POST", "/customers", { email: one, name: "Ana" }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.errors).toEqual({
      email: ["There is already a customer with this e-mail address."],
    });
  });

  test("has events, which name who it is and never what is noted", async () => {
    const { _id } = await send("POST", "/customers", {
      ...{ email: address(), name: "Ana Costa", notes: "secret note" },
    });
    await send("PUT", `/customers/${_id}`, { name: "Ana Silva", notes: "another secret" });
    const events = await Promise.all(
      ["customer.created", "customer.updated"].map((type) =>
        send<{ data: { data: Record<string, unknown> }[] }>(
          "GET",
          `/events?type=${type}&per_page=1`,
        ),
      ),
    );
    expect(events.map(({ data: [event] }) => event?.data)).toMatchObject([
      { _id, name: "Ana Costa" },
      { _id, name: "Ana Silva" },
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
    const { rows } = await pool().query<{ text: string }>(
      "select data::text || coalesce(previous::text, '') as text from events where object_id = $1",
      [_id],
    );
    expect(rows).toHaveLength(2);
    for (const { text } of rows) expect(text).not.toMatch(/Ana|secret/);
    expect((await timelineOf(_id)).map(({ changes }) => changes)).toEqual([
      [{ field: "name", before: "Ana Costa", after: "Ana Silva" }],
      [],
    ]);
  });
});

describe("who sees what", () => {
  test("a viewer reads customers without notes, in every answer and file, and changes nothing", async () => {
    const email = address();
    const body = { email, name: "Ana", notes: "secret note" };
    const { _id } = await send("POST", "/customers", body);
    const viewer = await member(office, "viewer");
    const answers = await Promise.all(
      [`/customers/${_id}`, "/customers", `/customers?q=${email}`, `/search?q=${email}`].map(
        (path) => staffCall(office, "GET", path, undefined, viewer),
      ),
    );
    for (const answer of answers) {
      expect(answer.text).toContain(email);
      expect(answer.text).not.toContain("secret note");
    }
    const csv = await (await file("/customers/export", viewer)).text();
    expect(csv).toContain(email);
    expect(csv).not.toContain("secret note");
    expect(
      (await staffCall(office, "PUT", `/customers/${_id}`, { name: "X" }, viewer)).status,
    ).toBe(403);
    expect(
      (await staffCall(office, "POST", "/customers", { email: address() }, viewer)).status,
    ).toBe(403);
    for (const headers of [await member(office, "staff"), bearer(office.key)])
      expect(await (await file("/customers/export", headers)).text()).toContain("secret note");
  });

  test("a viewer finds no notes in the logged calls of others", async () => {
    const [email, secret] = [address(), `note-${newId()}`];
    const { _id } = await send("POST", "/customers", { email, notes: secret });
    await send("PUT", `/customers/${_id}`, { name: "Ana", notes: secret });
    await keyCall(office, "GET", `/customers/${_id}`);
    await staffCall(office, "GET", `/customers?email=${email}`);
    await written();
    const read = async (headers: Record<string, string>) => {
      const { data: calls } = data<{ data: LoggedRequest[] }>(
        await staffCall(office, "GET", "/request-log?path=/customers", undefined, headers),
      );
      const shown = calls.map((call) =>
        staffCall(office, "GET", `/request-log/${call._id}`, undefined, headers),
      );
      return (await Promise.all(shown)).filter(({ text }) => text.includes(secret)).length;
    };
    expect(await read(await member(office, "viewer"))).toBe(0);
    expect(await read(await member(office, "staff"))).toBe(4);
  });

  test("another business and the other mode have customers of their own", async () => {
    const email = address();
    const { _id } = await send("POST", "/customers", { email, name: "Ana" });
    const stranger = await newOffice();
    for (const key of [stranger.key, office.liveKey]) {
      for (const path of ["", "/totals", "/timeline"])
        expect((await api("GET", `/customers/${_id}${path}`, { key })).status).toBe(404);
      expect((await api("PUT", `/customers/${_id}`, { key, body: { name: "X" } })).status).toBe(
        404,
      );
      const found = data<{ data: unknown[] }>(
        await api("GET", `/customers?email=${email}`, { key }),
      );
      expect(found.data).toEqual([]);
      expect((await api("POST", "/customers", { key, body: { email } })).status).toBe(200);
    }
    expect((await customerOf(email)).name).toBe("Ana");
  });
});

test("list, search and export find a customer by part of name, phone number or e-mail", async () => {
  const token = newId().slice(-8);
  const email = `${token}.mail@example.com`;
  const { _id } = await send("POST", "/customers", {
    ...{ email, name: `Zoë ${token}-Name`, phone_no: `+60 ${token}77` },
  });
  for (const part of [`${token.slice(2)}.MAIL`, `${token}-nam`, `${token}77`, _id]) {
    const q = encodeURIComponent(part);
    const listed = await send<{ data: Customer[] }>("GET", `/customers?q=${q}`);
    expect(listed.data.map((one) => one._id)).toEqual([_id]);
    const numbered = await send<{ total: number }>("GET", `/customers?q=${q}&page=1`);
    expect(numbered.total).toBe(1);
    const found = data<Found[]>(await staffCall(office, "GET", `/search?q=${q}`));
    expect(found.find(({ kind }) => kind === "customer")).toMatchObject({
      _id,
      title: `Zoë ${token}-Name`,
    });
    const csv = await (await file(`/customers/export?q=${q}`, bearer(office.key))).text();
    expect((parse(csv, { columns: true }) as { email: string }[]).map((row) => row.email)).toEqual([
      email,
    ]);
  }
});

test("search finds a phone number however it is written", async () => {
  const last = String(Date.now()).slice(-7);
  const other = `${last.slice(0, 2) === "11" ? "22" : "11"}${last.slice(2)}`;
  const phone = (seven: string) => `+60 12-${seven.slice(0, 3)} ${seven.slice(3)}`;
  const { _id } = await send("POST", "/customers", {
    ...{ email: `phone.${last}@example.com`, phone_no: phone(last) },
  });
  await send("POST", "/customers", {
    ...{ email: `other.${last}@example.com`, phone_no: phone(other) },
  });
  for (const q of [`012${last}`, `012-${last}`, `6012${last}`, phone(last)]) {
    const answer = await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`);
    const found = data<Found[]>(answer).filter(({ kind }) => kind === "customer");
    expect(found.map((one) => one._id)).toEqual([_id]);
  }
});

test.each(["06 12 34 56 78", "06.22.34.56.78", "06-32-34-56-78", "642 345 678", "0652345678"])(
  "search finds a phone number that was written as %s by its digits and in pairs",
  async (phone_no) => {
    const { _id } = await send("POST", "/customers", { email: address(), phone_no });
    const digits = phone_no.replace(/\D/g, "");
    for (const q of [digits, digits.replace(/(\d\d)(?=\d)/g, "$1 "), `+33 ${digits.slice(1)}`]) {
      const answer = await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`);
      const found = data<Found[]>(answer).filter(({ kind }) => kind === "customer");
      expect([q, found.map((one) => one._id)]).toEqual([q, [_id]]);
    }
  },
);

describe("a link that is given another address", () => {
  test("is the other customer's, and both timelines say so", async () => {
    const [from, to] = [address("from"), address("to")];
    const id = await newLink(office, { email: from });
    await send("PUT", `/payment-links/${id}`, link({ email: to }));
    const [left, got] = [await customerOf(from), await customerOf(to)];
    const change = [{ field: "email", before: from, after: to }];
    const of = async (customer: Customer) =>
      (await timelineOf(customer._id)).map(({ kind, changes }) => ({ kind, changes }));
    expect(await of(left)).toEqual([{ kind: "customer.link_moved", changes: change }]);
    expect(await of(got)).toContainEqual({ kind: "payment_link.updated", changes: change });
    const links = await send<{ data: { _id: string }[] }>("GET", `/payment-links?email=${to}`);
    expect(links.data.map((one) => one._id)).toEqual([id]);
  });

  test("in another case stays the customer's", async () => {
    const email = address();
    const id = await newLink(office, { email });
    await send("PUT", `/payment-links/${id}`, link({ email: email.toUpperCase() }));
    const { _id } = await customerOf(email);
    expect((await timelineOf(_id)).map(({ title }) => title)).toEqual([
      "Payment link changed",
      "Payment link created",
    ]);
  });
});

test("totals are sums of the customer's own payments and open links, by currency", async () => {
  const email = address();
  const paid = await newLink(office, { email, amount: 10_000 });
  await pay(office, paid);
  const { data: payments } = await send<{ data: { _id: string }[] }>(
    "GET",
    `/payments?email=${email}`,
  );
  await send("POST", `/payments/${payments[0]?._id}/refunds`, { amount: 2_500 });
  await pay(office, await newLink(office, { email, amount: 700 }), "decline");
  await newLink(office, { email: email.toUpperCase(), amount: 1_000 });
  await newLink(office, { email, amount: 3_000, currency: "SGD" });
  await pay(office, await newLink(office, { amount: 9_000 }));
  const { _id } = await customerOf(email);
  const totals = await send<CustomerTotals>("GET", `/customers/${_id}/totals`);
  const sums = totals.map(({ currency, payments: n, paid: took, refunded, open, open_links }) => [
    ...[currency, n, took, refunded, open, open_links],
  ]);
  expect(sums).toEqual([
    ["MYR", 1, 10_000, 2_500, 1_700, 2],
    ["SGD", 0, 0, 0, 3_000, 1],
  ]);
});
