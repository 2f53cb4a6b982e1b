import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { latestCollected } from "@/components/overview/latest-query";
import type { Overview } from "@/lib/contract/overview";
import type { Payment } from "@/lib/contract/payments";
import type { Found } from "@/lib/contract/search";
import { systemCtx } from "@/lib/domain/context";
import { resendCause } from "@/lib/domain/mails/present";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { newId } from "@/lib/kernel/ids";
import { answer, newReceiver } from "../webhooks/receiver";
import { runnerOf, endpointAt, happen, states, until } from "../webhooks/setting";
import { data, keyCall, newLink, newOffice, type Office, pay, staffCall, written } from "./setting";

afterAll(closePool);

const overview = async (office: Office, query = "") =>
  data<Overview>(await staffCall(office, "GET", `/overview${query}`));
const currency = (all: Overview, code: string) =>
  all.currencies.find((one) => one.currency === code);
const inZone = (office: Office, zone: string) =>
  pool().query("update businesses set time_zone = $1 where id = $2", [zone, office.businessId]);
/** Moves a link's payments to a moment. */
const paidAt = (linkId: string, moment: string) =>
  pool().query(
    "update payments set succeeded_at = $1, created_at = $1 where payment_link_id = $2",
    [moment, linkId],
  );
const kindsOf = (all: Overview) => all.attention.map(({ kind, count }) => [kind, count]);

test("a new business has its default currency, thirty days of nothing, and all steps to go", async () => {
  const office = await newOffice();
  const all = await overview(office);
  expect(all.currencies).toMatchObject([
    { currency: all.default_currency, collected: 0, open: 0, failed: 0, recurring: 0 },
  ]);
  expect(all.currencies[0]?.days.length).toBe(30);
  expect(all.currencies[0]?.days.at(-1)?.day).toBe(all.to);
  expect([all.attention, all.steps.map(({ done }) => done)]).toEqual([
    [],
    [false, false, false, false, false],
  ]);
});

test("each currency has its own sums: collected less refunded, open, failed", async () => {
  const office = await newOffice();
  const paid = await newLink(office, { amount: 10_000 });
  await pay(office, paid);
  await pool().query(
    "update payments set refunded_amount = 2500, status = 'partially_refunded' where payment_link_id = $1",
    [paid],
  );
  const open = await newLink(office, { amount: 700 });
  await pay(office, open, "decline");
  await newLink(office, { amount: 9_000, currency: "JPY" });
  await written();
  const gone = await newLink(office, { amount: 9_999 });
  data(await keyCall(office, "DELETE", `/payment-links/${gone}`));
  const all = await overview(office);
  expect(currency(all, "MYR")).toMatchObject({
    collected: 7_500,
    collected_count: 1,
    open: 700,
    open_count: 1,
    failed: 700,
    failed_count: 1,
  });
  expect(currency(all, "JPY")).toMatchObject({
    collected: 0,
    open: 9_000,
    open_count: 1,
    failed: 0,
  });
  expect((await overview(office, "?currency=JPY")).currencies.map((one) => one.currency)).toEqual([
    "JPY",
  ]);
  expect(all.steps.filter(({ done }) => done).map(({ step }) => step)).toEqual([
    "link_created",
    "api_key_used",
    "link_paid",
  ]);
});

test("days are the business's own, also where its clocks change", async () => {
  const office = await newOffice();
  await inZone(office, "Europe/Berlin");
  for (const [moment, amount] of [
    ["2026-03-28T22:59:59.999999Z", 1_001],
    ["2026-03-28T23:00:00Z", 1_002],
    ["2026-03-29T21:59:59Z", 1_003],
    ["2026-03-29T22:00:00Z", 1_004],
  ] as const) {
    const id = await newLink(office, { amount });
    await pay(office, id);
    await paidAt(id, moment);
  }
  const all = await overview(office, "?from=2026-03-29&to=2026-03-30");
  expect(currency(all, "MYR")?.days).toEqual([
    { day: "2026-03-29", collected: 2_005, collected_count: 2, failed_count: 0 },
    { day: "2026-03-30", collected: 1_004, collected_count: 1, failed_count: 0 },
  ]);
  expect(currency(all, "MYR")?.collected).toBe(3_009);
  expect(currency(await overview(office, "?from=2026-03-28&to=2026-03-28"), "MYR")?.collected).toBe(
    1_001,
  );
});

test("the latest payments begin with the money that came in last, however early its payer began", async () => {
  const office = await newOffice();
  const early = await newLink(office);
  await pay(office, early);
  await pool().query(
    "update payments set created_at = (select created_at - interval '3 days'), succeeded_at = (select succeeded_at + interval '1 minute') where payment_link_id = $1 and business_id = $2",
    [early, office.shop.ctx.businessId],
  );
  for (let count = 0; count < 5; count++) await pay(office, await newLink(office));
  const { per_page, ...query } = latestCollected;
  const search = new URLSearchParams({ ...query, per_page: String(per_page) });
  const { data: latest } = data<{ data: Payment[] }>(
    await staffCall(office, "GET", `/payments?${search}`),
  );
  expect(latest.length).toBe(5);
  expect(latest[0]?.payment_link_id).toBe(early);
});

test("what came in before is what the range before it answers, for a day, a month and a year", async () => {
  const office = await newOffice();
  const days = ["2026-03-01", "2026-03-09", "2026-03-10", "2025-04-02", "2026-02-10", "2026-02-09"];
  for (const [index, day] of days.entries()) {
    const id = await newLink(office, { amount: 1_000 + index });
    await pay(office, id);
    await paidAt(id, `${day}T05:00:00Z`);
  }
  for (const [from, to, before, until] of [
    ["2026-03-10", "2026-03-10", "2026-03-09", "2026-03-09"],
    ["2026-03-10", "2026-04-08", "2026-02-08", "2026-03-09"],
    ["2026-03-10", "2027-03-09", "2025-03-10", "2026-03-09"],
  ]) {
    const now = currency(await overview(office, `?from=${from}&to=${to}`), "MYR");
    const past = currency(await overview(office, `?from=${before}&to=${until}`), "MYR");
    expect(past?.collected).toBeGreaterThan(0);
    expect([now?.previous_collected, now?.previous_collected_count]).toEqual([
      past?.collected,
      past?.collected_count,
    ]);
    expect(now?.days[0]?.day).toBe(from);
  }
});

test("recurring is what active subscriptions bring in a month", async () => {
  const office = await newOffice();
  for (const [amount, frequency, status] of [
    [1_200, "yearly", "active"],
    [1_000, "weekly", "active"],
    [5_000, "monthly", "active"],
    [9_000, "monthly", "past_due"],
  ] as const) {
    const bundle = data<{ _id: string }>(
      await keyCall(office, "POST", "/packages", {
        name: "Gold",
        amount,
        currency: "MYR",
        frequency,
        date_charge_start: "2027-01-31",
      }),
    );
    const { _id } = data<{ _id: string }>(
      await keyCall(office, "POST", "/subscriptions", {
        package_id: bundle._id,
        email: "ana@example.com",
      }),
    );
    await pool().query("update subscriptions set status = $1 where id = $2", [status, _id]);
  }
  const all = await overview(office);
  expect(currency(all, "MYR")).toMatchObject({
    recurring: 100 + 4_333 + 5_000,
    recurring_count: 3,
  });
  expect(all.attention).toMatchObject([
    {
      kind: "subscription_past_due",
      count: 1,
      latest: [
        {
          object: "subscription",
          title: "ana@example.com",
          detail: "Gold",
          amount: 9_000,
          currency: "MYR",
        },
      ],
    },
  ]);
});

test("what needs a person is named until something better follows", async () => {
  const office = await newOffice();
  const declined = await newLink(office);
  await pay(office, declined, "decline");
  await pay(office, declined, "decline");
  const late = await newLink(office);
  await pay(office, late);
  await pool().query("update payments set flags = '{late}' where payment_link_id = $1", [late]);
  await pool().query(
    "insert into mails (id, business_id, mode, kind, cause, object_id, recipient, subject, html, text, status, error) values ($1, $2, 'test', 'payment_link', $1, $3, 'ana@example.com', 'Pay', '', '', 'failed', '550')",
    [
      `6740f5d81b2c9e7a04${String(office.businessId).padStart(6, "0")}`,
      office.businessId,
      declined,
    ],
  );
  const all = await overview(office);
  expect(kindsOf(all)).toEqual([
    ["payment_failed", 1],
    ["payment_late", 1],
    ["mail_failed", 1],
  ]);
  expect(all.attention[0]?.latest).toMatchObject([
    {
      object: "payment",
      payment_link_id: declined,
      title: "Satay for two",
      amount: 1_250,
      currency: "MYR",
    },
  ]);
  await pay(office, declined);
  await pool().query(
    "update payments set status = 'refunded', refunded_amount = amount where payment_link_id = $1",
    [late],
  );
  expect(kindsOf(await overview(office))).toEqual([["mail_failed", 1]]);
});

test.each(["receipt", "refund", "subscription_receipt", "subscription_refund", "token_receipt"])(
  "a failed %s is named until it is sent again, whatever other money its object has mails of",
  async (kind) => {
    const office = await newOffice();
    const object = newId();
    const mail = async (status: string, cause: string = newId()) => {
      const id = newId();
      await pool().query(
        "insert into mails (id, business_id, mode, kind, cause, object_id, recipient, subject, html, text, status) values ($1, $2, 'test', $3, $4, $5, 'ana@example.com', 'Paid', '', '', $6)",
        [id, office.businessId, kind, cause, object, status],
      );
      return id;
    };
    const again = (id: string, status: string) =>
      mail(status, resendCause(id, { kind: "person", id: "1" }));
    const failed = async () =>
      (await overview(office)).attention.map(({ latest }) => latest.map(({ _id }) => _id));

    const may = await mail("failed");
    await mail("sent");
    expect(await failed()).toEqual([[may]]);
    const second = await again(may, "failed");
    expect(await failed()).toEqual([[second]]);
    const third = await again(second, "failed");
    expect(await failed()).toEqual([[third]]);
    await again(second, "queued");
    expect(await failed()).toEqual([]);
    const fourth = await again(third, "failed");
    expect(await failed()).toEqual([[fourth]]);
    // Of the first one again, while a repetition of a repetition had failed.
    await again(may, "sent");
    expect(await failed()).toEqual([]);
    const last = await mail("failed");
    expect(await failed()).toEqual([[last]]);
    // An erased payer cannot be mailed any more.
    await pool().query("update mails set recipient = $2 where id = $1", [last, ERASED_EMAIL]);
    expect(await failed()).toEqual([]);
  },
);

test("an endpoint with an exhausted delivery, or that is gone, is listed until it works again", async () => {
  const office = await newOffice();
  const ctx = systemCtx({ businessId: office.businessId, mode: "test" }, { kind: "clock" }, "test");
  const receiver = await newReceiver(answer(500));
  const endpoint = await endpointAt(ctx, receiver.url);
  const courier = runnerOf(ctx, []);
  await happen(ctx);
  await until(courier, () => states(ctx), { failed: 1 });
  const failing = await overview(office);
  expect(failing.attention).toMatchObject([
    {
      kind: "webhook_failed",
      count: 1,
      latest: [
        {
          object: "webhook_endpoint",
          _id: endpoint.id,
          title: receiver.url,
          detail: "It answered 500.",
        },
      ],
    },
  ]);
  receiver.behave(answer(200));
  await happen(ctx);
  await until(courier, () => states(ctx), { failed: 1, delivered: 1 });
  expect((await overview(office)).attention).toEqual([]);
  receiver.behave(answer(410));
  await happen(ctx);
  await until(courier, async () => kindsOf(await overview(office)), [["webhook_gone", 1]]);
  await courier.stop();
  await receiver.close();
});

test("a range that is none, or of more than two years, is a 422; a key is a 403; others' money is not in it", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  await pay(office, id);
  for (const query of ["?from=2026-02-02&to=2026-02-01", "?from=2020-01-01&to=2026-01-01"]) {
    expect((await staffCall(office, "GET", `/overview${query}`)).body.errors).toEqual({
      to: ["The to range is invalid."],
    });
  }
  expect((await staffCall(office, "GET", "/overview?from=2026-02-30")).status).toBe(422);
  expect((await keyCall(office, "GET", "/overview")).status).toBe(403);
  expect(currency(await overview(await newOffice()), "MYR")).toBeUndefined();
  expect(
    currency(
      data<Overview>(
        await staffCall(office, "GET", "/overview", undefined, {
          ...office.headers,
          "x-kutip-mode": "live",
        }),
      ),
      "MYR",
    ),
  ).toBeUndefined();
});

test("the search finds records of every kind by title, address, reference and id, five of each at most", async () => {
  const office = await newOffice();
  const bundle = data<{ _id: string }>(
    await keyCall(office, "POST", "/packages", {
      name: "Zebra plan",
      amount: 4_900,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: "2027-01-31",
    }),
  );
  data(
    await keyCall(office, "POST", "/subscriptions", {
      package_id: bundle._id,
      email: "zebra@example.com",
    }),
  );
  data(
    await keyCall(office, "POST", "/tokenizations/create-token", {
      email: "zebra@example.com",
      title: "Gold",
      description: "Monthly",
    }),
  );
  const ids: string[] = [];
  for (let index = 0; index < 6; index++)
    ids.push(await newLink(office, { reference: `ZEBRA-${index}` }));
  await pay(office, ids[0] ?? "");
  const find = async (q: string) =>
    data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`));
  const kinds = (found: Found[]) => found.map(({ kind }) => kind);
  expect(kinds(await find("zebra"))).toEqual([
    ...Array(5).fill("payment_link"),
    "payment",
    "tokenization",
    "subscription",
    "package",
    "customer",
  ]);
  expect(await find(ids[3] ?? "")).toMatchObject([
    {
      kind: "payment_link",
      _id: ids[3],
      detail: "ana@example.com · ZEBRA-3",
      status: "Active",
      amount: 1_250,
      currency: "MYR",
    },
  ]);
  expect(await find("100%")).toEqual([]);
  expect(data<Found[]>(await staffCall(await newOffice(), "GET", "/search?q=zebra"))).toEqual([]);
  expect((await staffCall(office, "GET", "/search?q=%20")).body.errors).toEqual({
    q: ["The q field is required."],
  });
});
