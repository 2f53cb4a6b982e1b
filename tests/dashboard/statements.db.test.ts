import { parse } from "csv-parse/sync";
import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { Balance } from "@/lib/contract/ledger";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import type { Statement, StatementCurrency, StatementLine } from "@/lib/contract/statements";
import { newId } from "@/lib/kernel/ids";
import { pdfText } from "../../e2e/pdf-text";
import { bearer, data, file, keyCall, newLink, newOffice, type Office, pay } from "./setting";

afterAll(closePool);

/** The same numbers in each run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

type Side = [account: string, amount: number];
type Booked = { currency: string; at: Date; sides: Side[] };

async function book(
  office: Office,
  payment: string,
  posting: string,
  kind: string,
  { currency, at, sides }: Booked,
  refund: string | null = null,
): Promise<void> {
  const rows = sides.map(([account, amount]) => ({ account, amount, id: newId() }));
  await pool().query(
    `insert into ledger_entries (business_id, mode, id, posting_id, payment_id, refund_id, kind, account, currency, amount, created_at)
     select $1, 'test', row.id, $2, $3, $4, $5, row.account, $6, row.amount, $7
     from json_to_recordset($8) as row (id text, account text, amount bigint)`,
    [office.businessId, posting, payment, refund, kind, currency, at, JSON.stringify(rows)],
  );
}

async function insertPayment(office: Office, amount: number, currency: string, at: Date) {
  const id = newId();
  await pool().query(
    `insert into payments (business_id, mode, id, status, amount, currency, title, gateway, created_at, succeeded_at)
     values ($1, 'test', $2, 'succeeded', $3, $4, 'Any', 'simulator', $5, $5)`,
    [office.businessId, id, amount, currency, at],
  );
  return id;
}

async function insertRefund(office: Office, payment: string, amount: number, currency: string) {
  const id = newId();
  await pool().query(
    `insert into refunds (business_id, mode, id, payment_id, amount, currency, gateway, status, actor)
     values ($1, 'test', $2, $3, $4, $5, 'simulator', 'succeeded', '{"kind":"operator"}')`,
    [office.businessId, id, payment, amount, currency],
  );
  return id;
}

/** Payments, fees, refunds and disputes at random moments, many of them around the ends of months. */
async function fill(office: Office, next: (below: number) => number): Promise<Booked[]> {
  const booked: Booked[] = [];
  const moment = () => {
    const near =
      Date.UTC(2026, next(7), 1) +
      (next(2) === 0 ? (next(97) - 48) * 1_800_000 : next(28) * 86_400_000);
    return new Date(near + (next(3) === 0 ? 0 : next(1_000)));
  };
  const note = async (
    payment: string,
    name: string,
    kind: string,
    entry: Booked,
    refund?: string,
  ) => {
    await book(office, payment, name, kind, entry, refund);
    booked.push(entry);
  };
  for (let index = 0; index < 25; index += 1) {
    const currency = ["MYR", "USD", "JPY"][next(3)] ?? "MYR";
    const amount = 1_000 + next(9_000);
    const at = moment();
    const payment = await insertPayment(office, amount, currency, at);
    const place = next(4) === 0 ? "manual" : "gateway";
    await note(payment, `gross:${payment}`, "gross", {
      currency,
      at,
      sides: [
        [place, amount],
        ["sales", -amount],
      ],
    });
    if (place === "gateway" && next(5) > 0) {
      const fee = 1 + next(300);
      const later = next(3) === 0 ? moment() : at;
      const of = next(9) === 0 ? "EUR" : currency;
      await note(payment, `fee:${payment}`, "fee", {
        currency: of,
        at: later,
        sides: [
          ["fees", fee],
          ["gateway", -fee],
        ],
      });
    }
    if (next(3) === 0) {
      const part = 1 + next(amount);
      const refund = await insertRefund(office, payment, part, currency);
      await note(
        payment,
        `refund:${refund}`,
        "refund",
        {
          currency,
          at: moment(),
          sides: [
            ["refunds", part],
            [place, -part],
          ],
        },
        refund,
      );
      if (next(3) === 0)
        await note(
          payment,
          `refund_failed:${refund}`,
          "refund",
          {
            currency,
            at: moment(),
            sides: [
              ["refunds", -part],
              [place, part],
            ],
          },
          refund,
        );
    }
    if (next(4) === 0) {
      const held = 1 + next(amount);
      await note(payment, `dispute:${payment}:a`, "dispute", {
        currency,
        at: moment(),
        sides: [
          ["disputes", held],
          ["gateway", -held],
        ],
      });
      await note(payment, `dispute_fee:${payment}:a`, "dispute", {
        currency,
        at: moment(),
        sides: [
          ["fees", 15],
          ["gateway", -15],
        ],
      });
      if (next(2) === 0)
        await note(payment, `dispute:${payment}:b`, "dispute", {
          currency,
          at: moment(),
          sides: [
            ["disputes", -held],
            ["gateway", held],
          ],
        });
    }
  }
  return booked;
}

/** The month that the clocks of a zone show, by this process's rules. */
const monthOf = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit" }).format(at);

/** The sums of a month, computed from what was booked. */
function expected(booked: Booked[], month: string, timeZone: string): StatementCurrency[] {
  const of = (currency: string, wanted: (name: string) => boolean, accounts: string[]) =>
    booked
      .filter((entry) => entry.currency === currency && wanted(monthOf(entry.at, timeZone)))
      .flatMap(({ sides }) => sides)
      .filter(([account]) => accounts.includes(account))
      .reduce((sum, [, amount]) => sum + amount, 0);
  const here = (name: string) => name === month;
  const before = (name: string) => name < month;
  return [...new Set(booked.map(({ currency }) => currency))].sort().flatMap((currency) => {
    const opening = of(currency, before, ["gateway", "manual"]);
    const net = of(currency, here, ["gateway", "manual"]);
    const present = booked.some(
      (entry) => entry.currency === currency && here(monthOf(entry.at, timeZone)),
    );
    if (!present && opening === 0) return [];
    return [
      {
        currency,
        opening,
        gross: of(currency, here, ["sales"]) * -1 || 0,
        refunds: of(currency, here, ["refunds"]),
        disputes: of(currency, here, ["disputes"]),
        fees: of(currency, here, ["fees"]),
        net,
        closing: opening + net,
        manual: of(currency, here, ["manual"]),
        without_fee: expect.any(Number),
      },
    ];
  });
}

const names = ["gross", "refunds", "disputes", "fees", "net"] as const;
const addUp = (lines: readonly StatementLine[], currency: string) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      lines.filter((line) => line.currency === currency).reduce((sum, line) => sum + line[name], 0),
    ]),
  );

async function linesOf(office: Office, month: string): Promise<StatementLine[]> {
  const rows: StatementLine[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const answer = data<NumberedPage<StatementLine>>(
      await keyCall(office, "GET", `/statements/${month}/lines?per_page=20&page=${page}`),
    );
    rows.push(...answer.data);
    last = answer.last_page;
  }
  return rows;
}

const months = [
  "2025-12",
  "2026-01",
  "2026-02",
  "2026-03",
  "2026-04",
  "2026-05",
  "2026-06",
  "2026-07",
  "2026-08",
];

test.each([
  ["UTC", 1],
  ["Asia/Kuala_Lumpur", 2],
  ["America/Los_Angeles", 3],
  ["Europe/Berlin", 4],
  ["Asia/Kathmandu", 5],
  ["Pacific/Kiritimati", 6],
  ["Africa/Cairo", 7],
])(
  "in %s the sums of each month are those of its ledger, its lines, its payments and its file",
  { timeout: 60_000 },
  async (timeZone, seed) => {
    const office = await newOffice();
    await pool().query("update businesses set time_zone = $2 where id = $1", [
      office.businessId,
      timeZone,
    ]);
    const booked = await fill(office, sequence(seed));
    let before: Statement | undefined;
    let counted = 0;
    for (const month of months) {
      const statement = data<Statement>(await keyCall(office, "GET", `/statements/${month}`));
      expect([month, statement.currencies]).toEqual([month, expected(booked, month, timeZone)]);

      const lines = await linesOf(office, month);
      expect(lines.length).toBe(statement.lines);
      for (const {
        currency,
        opening: _,
        closing: __,
        manual: ___,
        without_fee: ____,
        ...sums
      } of statement.currencies)
        expect([month, currency, addUp(lines, currency)]).toEqual([month, currency, sums]);
      counted += lines.length;

      const range = `created_from=${statement.from}&created_to=${statement.to}`;
      const { currencies } = data<Balance>(await keyCall(office, "GET", `/balance?${range}`));
      for (const one of currencies)
        expect(statement.currencies).toContainEqual(
          expect.objectContaining(
            Object.fromEntries(["currency", ...names].map((name) => [name, one[name as "net"]])),
          ),
        );

      const payments = data<NumberedPage<PaymentWithPayer>>(
        await keyCall(
          office,
          "GET",
          `/payments?succeeded_from=${statement.from}&succeeded_to=${statement.to}&per_page=100&page=1`,
        ),
      ).data;
      for (const { currency, gross } of statement.currencies)
        expect(
          payments
            .filter((one) => one.currency === currency)
            .reduce((sum, { amount }) => sum + amount, 0),
        ).toBe(gross);

      const csv = await (await file(`/statements/${month}/export`, bearer(office.key))).text();
      const rows = parse<Record<string, string>>(csv, { columns: true });
      expect(rows.map(({ _id }) => _id)).toEqual(lines.map(({ _id }) => _id).reverse());
      for (const row of rows) expect(row[`created_at (${timeZone})`]?.slice(0, 7)).toBe(month);
      for (const { currency, net } of statement.currencies) {
        const digits = currency === "JPY" ? 1 : 100;
        const total = rows
          .filter((row) => row.currency === currency)
          .reduce(
            (sum, row) =>
              sum +
              Math.round(Number(row.net_in) * digits) -
              Math.round(Number(row.net_out) * digits),
            0,
          );
        expect([month, currency, total]).toEqual([month, currency, net]);
      }

      for (const { currency, closing } of before?.currencies ?? [])
        expect(statement.currencies.find((one) => one.currency === currency)?.opening ?? 0).toBe(
          closing,
        );
      before = statement;
    }
    // Each posting is in one line of one month; a fee shares the line of its payment where both are in one month.
    expect(counted).toBeLessThanOrEqual(booked.length);
    expect(before?.currencies.reduce((sum, { closing }) => sum + closing, 0)).toBe(
      booked
        .flatMap(({ sides }) => sides)
        .filter(([account]) => account === "gateway" || account === "manual")
        .reduce((sum, [, amount]) => sum + amount, 0),
    );
  },
);

test("a payment from the gateway is a line with payer, title, reference, fee and net, and its refund another", async () => {
  const office = await newOffice();
  const link = await newLink(office, {
    amount: 12_550,
    title: "Invois 学费",
    reference: "INV-1042",
  });
  await pay(office, link);
  const [payment] = data<{ data: PaymentWithPayer[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${link}`),
  ).data;
  await keyCall(office, "POST", `/payments/${payment?._id}/refunds`, { amount: 500 });
  const month = new Date().toISOString().slice(0, 7);
  const lines = await linesOf(office, month);
  expect(lines).toMatchObject([
    { kind: "refund", refunds: 500, net: -500, payment_id: payment?._id, email: "ana@example.com" },
    {
      kind: "payment",
      gross: 12_550,
      fees: payment?.fee ?? 0,
      net: 12_550 - (payment?.fee ?? 0),
      title: "Invois 学费",
      reference: "INV-1042",
    },
  ]);
  const pdf = await file(`/statements/${month}/pdf`, bearer(office.key));
  expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const text = pdfText(Buffer.from(await pdf.arrayBuffer())).replaceAll("\n", "");
  for (const part of [
    "Some Shop",
    "Invois 学费",
    "INV-1042",
    "ana@example.com",
    "MYR 125.50",
    "MYR −5.00",
  ])
    expect(text).toContain(part);
});

test("another business and the other mode see nothing of it, and what is no month is not found", async () => {
  const office = await newOffice();
  await pay(office, await newLink(office));
  const month = new Date().toISOString().slice(0, 7);
  const other = await newOffice();
  expect(data<Statement>(await keyCall(other, "GET", `/statements/${month}`))).toMatchObject({
    currencies: [],
    lines: 0,
  });
  expect(
    data<Statement>(await keyCall(office, "GET", `/statements/${month}`)).lines,
  ).toBeGreaterThan(0);
  for (const wrong of ["2026-13", "2026-00", "2026-1", "1999-01", "latest"])
    expect([wrong, (await keyCall(office, "GET", `/statements/${wrong}`)).status]).toEqual([
      wrong,
      404,
    ]);
});
