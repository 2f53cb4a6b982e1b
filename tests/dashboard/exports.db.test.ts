import { inspect } from "node:util";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { Balance } from "@/lib/contract/ledger";
import { csvStream } from "@/lib/domain/csv";
import { provideEnv } from "@/lib/env";
import { errorForLog } from "@/lib/kernel/error-text";
import { log } from "@/lib/kernel/log";
import { Line, startServer } from "../http/raw-server";
import {
  bearer,
  data,
  file,
  keyCall,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0", RATE_LIMIT_COST: "0" });
afterAll(closePool);

type Listed = { _id: string; token?: string; activation_url?: string };
let office: Office;
let tokens: Listed[];
beforeAll(async () => {
  office = await newOffice();
  const send = async (path: string, body: object) =>
    data<Listed>(await keyCall(office, "POST", path, body));
  const terms = { amount: 4_900, currency: "MYR", frequency: "monthly" };
  const made = await send("/packages", {
    ...terms,
    name: "=Gold",
    date_charge_start: "2031-01-31",
  });
  await send("/packages", { ...terms, name: "Silver", date_charge_start: "2031-01-31" });
  tokens = [];
  for (const email of ["ana@example.com", "bo@example.com", "cy@example.com"]) {
    await send("/subscriptions", { email, package_id: made._id });
    const token = { email, title: `Card of ${email}`, description: "The monthly fee" };
    tokens.push(await send("/tokenizations/create-token", token));
  }
});

const exported = async (path: string, headers: Record<string, string>) => {
  const text = await (await file(path, headers)).text();
  return { text, rows: parse(text, { columns: true }) as Record<string, string>[] };
};

describe.each([
  ["/packages", ["", "?status=active", "?q=Silver", "?sort=-amount", "?status=cancel"]],
  ["/subscriptions", ["", "?q=bo@example.com", "?currency=MYR", "?status=halted"]],
  ["/tokenizations", ["", "?q=cy@example.com", "?status=pending", "?status=active"]],
] as const)("the export of %s", (path, queries) => {
  test.each(queries)("holds the rows that the list with %j holds, in its order", async (query) => {
    const listed = data<{ data: Listed[] }>(await keyCall(office, "GET", `${path}${query}`)).data;
    const { rows } = await exported(`${path}/export${query}`, bearer(office.key));
    expect(rows.map(({ _id }) => _id)).toEqual(listed.map(({ _id }) => _id));
  });
});

test.each(["key", "member"] as const)(
  "an export under way breaks off within a second after its %s loses access",
  async (kind) => {
    const own = await newOffice();
    for (let number = 0; number < 250; number++) await newLink(own);
    const viewer = await member(own, "viewer");
    const response = await file("/payment-links/export", kind === "key" ? bearer(own.key) : viewer);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    if (kind === "key")
      await db.execute(
        sql`update api_keys set revoked_at = now() where business_id = ${own.businessId}`,
      );
    else
      await db.execute(
        sql`delete from memberships where business_id = ${own.businessId} and role = 'viewer'`,
      );
    const later = performance.now() + 1_001;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow("The export broke off.");
    clock.mockRestore();
  },
);

test("staff get a byte order mark, by which Excel knows the encoding, and a key's file begins with the first name", async () => {
  const start = async (headers: Record<string, string>) => {
    const bytes = await (await file("/payment-links/export", headers)).arrayBuffer();
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).slice(0, 4);
  };
  expect(await start(bearer(office.key))).toBe("_id,");
  for (const headers of [office.headers, await member(office, "viewer")])
    expect(await start(headers)).toBe("\ufeff_id");
});

test("a package's terms stand in the row of its subscriber, and no text becomes a formula", async () => {
  const { rows } = await exported("/subscriptions/export", bearer(office.key));
  expect(rows[0]).toMatchObject({
    email: "cy@example.com",
    package_name: "'=Gold",
    package_amount: "4900",
    package_amount_decimal: "49.00",
    package_currency: "MYR",
    package_frequency: "monthly",
  });
});

test.each([
  ["JPY", 5_000, 1_500, "1500"],
  ["KWD", 12_345, 2_500, "2.500"],
  ["MYR", 1_250, 500, "5.00"],
])("the export of payments says in %s what went back, as a decimal too", async (...one) => {
  const [currency, amount, back, decimal] = one;
  const payer = await newOffice();
  await pay(payer, await newLink(payer, { currency, amount }));
  const { data: listed } = data<{ data: Listed[] }>(await keyCall(payer, "GET", "/payments"));
  data(await keyCall(payer, "POST", `/payments/${listed[0]?._id}/refunds`, { amount: back }));
  const { rows } = await exported("/payments/export", bearer(payer.key));
  expect(rows).toMatchObject([
    {
      refunded_amount: String(back),
      refunded_amount_decimal: decimal,
      disputed_amount: "0",
      disputed_amount_decimal: { JPY: "0", KWD: "0.000", MYR: "0.00" }[currency],
    },
  ]);
});

test("a net below zero is a number in the export of payments, and a reference that looks like one is text", async () => {
  const payer = await newOffice();
  await pay(payer, await newLink(payer, { amount: 1_000, reference: "-0.50" }));
  await db.transaction(async (tx) => {
    await tx.execute(sql`alter table ledger_entries disable trigger user`);
    await tx.execute(
      sql`update ledger_entries set amount = sign(amount) * 1050 where business_id = ${payer.businessId} and kind = 'fee'`,
    );
    await tx.execute(sql`alter table ledger_entries enable trigger user`);
  });
  const { rows } = await exported("/payments/export", bearer(payer.key));
  expect(rows).toMatchObject([{ net: "-50", net_decimal: "-0.50", reference: "'-0.50" }]);
});

test("what the export of payments has as booked adds up to the net of Balance, whatever came without a fee or went back", async () => {
  const shop = await newOffice();
  const links = [await newLink(shop, { amount: 10_000 }), await newLink(shop, { currency: "JPY" })];
  for (const link of links) await pay(shop, link);
  const { data: made } = data<{ data: Listed[] }>(
    await keyCall(shop, "GET", "/payments?currency=MYR"),
  );
  data(await keyCall(shop, "POST", `/payments/${made[0]?._id}/refunds`, { amount: 4_000 }));
  const byHand = await newLink(shop, { amount: 2_500 });
  data(await staffCall(shop, "POST", `/payment-links/${byHand}/payments`, { method: "cash" }));
  await pay(shop, await newLink(shop), "decline");
  const { rows } = await exported("/payments/export?sort=created_at", bearer(shop.key));
  expect(rows.at(-1)).toMatchObject({ succeeded_at: "", net_booked: "", net_booked_decimal: "" });
  expect(rows[2]).toMatchObject({ net: "", net_booked: "2500", net_booked_decimal: "25.00" });
  const { currencies } = data<Balance>(await keyCall(shop, "GET", "/balance"));
  const sums: Record<string, number> = {};
  for (const { currency = "", net_booked } of rows)
    sums[currency] = (sums[currency] ?? 0) + Number(net_booked);
  expect(sums).toEqual(Object.fromEntries(currencies.map((one) => [one.currency, one.net])));
});

test("no export holds a token or an address that activates one, whoever asks", async () => {
  const readers = [bearer(office.key), office.headers, await member(office, "viewer")];
  for (const headers of readers) {
    const { text, rows } = await exported("/tokenizations/export", headers);
    expect(rows).toHaveLength(3);
    for (const { token, activation_url: address } of tokens) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(address);
    }
  }
});

test("an export that breaks off is in the log, and no payer's address of its filters is printed or sent", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const logged = vi.spyOn(log, "error").mockImplementation(() => undefined);
  const { ctx } = office.shop;
  async function* batches() {
    yield [{ title: "Satay for two" }];
    await db.execute(sql`select ${"ana@example.com"}::text, 1 / 0`);
  }
  const broken = async () => new Response(await csvStream(ctx, ["title"], batches()));
  const routes = [{ pattern: "/api/broken", module: { GET: broken } }];
  const started = await startServer(routes, () => undefined);
  onTestFinished(() => {
    started.stop();
    vi.restoreAllMocks();
  });
  const sent = await new Line(started.port)
    .send("GET /api/broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    .end();
  expect(logged.mock.calls).toEqual([
    [{ request_id: ctx.requestId, err: expect.any(Error) }, "an export broke off"],
  ]);
  const [noted] = logged.mock.calls[0] as unknown as [{ err: unknown }];
  expect(errorForLog(noted.err).message).toBe("Failed query: division by zero");
  expect(inspect([sent, printed.mock.calls], { depth: null })).not.toContain("ana@example.com");
});
