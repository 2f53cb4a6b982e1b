import { expect, test } from "vitest";
import { pool } from "@/db/client";
import { provideLimits } from "@/db/limits";
import type { Business } from "@/lib/contract/business";
import type { NotificationTest } from "@/lib/contract/notifications";
import { systemCtx } from "@/lib/domain/context";
import { provideEnv } from "@/lib/env";
import { erasePayer } from "@/lib/flows/erasure/steps";
import {
  dailySummaries,
  defineNotificationSending,
  notificationFanOut,
} from "@/lib/flows/notifying/job";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { dueNotifications } from "@/lib/domain/notifications/rows";
import { ClaimLost } from "@/lib/jobs/claim-rows";
import { lockUntilMissed, waitBriefly } from "../missed-lock";
import { claimOf, runAll, runOnce } from "../run-once";
import { answer } from "../webhooks/receiver";
import { data, type Office, staffCall } from "./setting";
import {
  arrive,
  colleague,
  newLiveOffice,
  receivers,
  rowsOf,
  save,
  settingsOf,
} from "./notification-setting";

const received = receivers();
const { said, mailsTo, sending, work } = received;

test("what comes while a message waits is in that message, and each waits a while after the one before", async () => {
  const office = await newLiveOffice();
  await save(office, { chat: ["payments"], chat_url: received.chat.url });
  await arrive(office);
  await runAll(notificationFanOut, office.businessId);
  await runAll(sending(), office.businessId);
  for (const amount of [1_000, 2_000, 3_000]) {
    await arrive(office, { amount });
    await runAll(notificationFanOut, office.businessId);
  }
  expect(await runAll(sending(), office.businessId)).toBe(0);
  expect((await rowsOf(office)).map(({ event_ids }) => event_ids.length)).toEqual([1, 3]);
  await work(office);
  expect(said()[1]).toContain("3 payments received: MYR 60.00");
});

test("nothing is sent once the membership has ended, the kind is unchosen or the address is unproven", async () => {
  const office = await newLiveOffice();
  const [leaver, chooser, unproven] = [
    await colleague(office),
    await colleague(office),
    await colleague(office, false),
  ];
  for (const { headers } of [leaver, chooser, unproven])
    await save(
      office,
      { mail: ["payments"], chat: ["payments"], chat_url: received.chat.url },
      headers,
    );
  await arrive(office);
  await runAll(notificationFanOut, office.businessId);
  expect(await rowsOf(office)).toHaveLength(6);
  expect(
    (await staffCall(office, "DELETE", `/team/members/${leaver.userId}`, undefined)).status,
  ).toBe(200);
  await save(office, {}, chooser.headers);
  await work(office);
  for (const { email } of [leaver, chooser, unproven]) expect(mailsTo(email)).toEqual([]);
  expect(said()).toHaveLength(1);
  expect((await rowsOf(office)).filter(({ status }) => status === "sent")).toMatchObject([
    { user_id: unproven.userId, channel: "chat" },
  ]);
});

test("a chat that fails holds one message back, which gathers what comes, and is given up after some tries", async () => {
  const office = await newLiveOffice();
  await save(office, { chat: ["payments"], chat_url: received.chat.url });
  received.chat.behave(answer(500, "no"));
  await arrive(office);
  await work(office);
  await arrive(office);
  await work(office);
  expect((await rowsOf(office)).map(({ event_ids }) => event_ids.length)).toEqual([2]);
  expect((await rowsOf(office))[0]).toMatchObject({ status: "queued", tries: 2 });
  for (let tries = 2; tries < 10; tries++) await work(office);
  expect((await rowsOf(office))[0]).toMatchObject({
    status: "failed",
    tries: 6,
    next_try_at: null,
  });
  expect((await settingsOf(office)).chat_problem).toBe(
    "A message was not delivered. It answered 500.",
  );
  received.chat.behave(answer(200));
  await arrive(office);
  await work(office);
  expect((await settingsOf(office)).chat_problem).toBeNull();
});

test("a chat that refuses more than 2,000 characters gets many payments in one message", async () => {
  const office = await newLiveOffice();
  await save(office, { chat: ["payments"], chat_url: received.chat.url });
  received.chat.behave((one, response, times) => {
    const { text } = JSON.parse(one.body) as { text: string };
    answer(text.length > 2_000 ? 400 : 200)(one, response, times);
  });
  const title = "Tuition fee March 2027, second instalment, Aiman";
  for (let made = 0; made < 25; made++)
    await arrive(office, { title, email: "somebody.longname@company.example" });
  await work(office);
  expect(await rowsOf(office)).toMatchObject([{ status: "sent", tries: 1 }]);
  expect(said()[0]).toContain("25 payments received: MYR 312.50");
});

test("a mail whose answer was lost keeps its Message-ID while it says the same, and has another once payments were added", async () => {
  const office = await newLiveOffice();
  await save(office, { mail: ["payments"] });
  const ids: string[] = [];
  const job = defineNotificationSending({
    mail: {
      send: async ({ messageId }) => {
        ids.push(messageId);
        return ids.length < 3 ? { kind: "unknown", reason: "socket closed" } : { kind: "sent" };
      },
      close: () => undefined,
    },
    chat: createSender({ allowPrivate: true }),
  });
  await arrive(office);
  await work(office, job);
  await work(office, job);
  await arrive(office);
  await work(office, job);
  const [first, copy, grown] = ids;
  expect(copy).toBe(first);
  expect(grown).not.toBe(first);
  expect(await rowsOf(office)).toMatchObject([
    { status: "sent", tries: 3, event_ids: [expect.any(String), expect.any(String)] },
  ]);
});

test("a worker that has lost its claim sends no message, and the one that has it sends one", async () => {
  const office = await newLiveOffice();
  await save(office, { chat: ["payments"], chat_url: received.chat.url });
  await arrive(office);
  await runAll(notificationFanOut, office.businessId);
  const stalled = await claimOf(dueNotifications, office.businessId);
  await pool().query("update notifications set leased_until = now() where business_id = $1", [
    office.businessId,
  ]);
  const taken = await claimOf(dueNotifications, office.businessId);
  const call = { requestId: "lost-claims", stopping: new AbortController().signal };
  await expect(sending().work(stalled, call)).rejects.toBeInstanceOf(ClaimLost);
  expect(said()).toEqual([]);
  await sending().work(taken, call);
  expect(said()).toHaveLength(1);
});

test("a chat that is gone is switched off, says so, and is on again after a test message arrives", async () => {
  const office = await newLiveOffice();
  await save(office, { chat: ["payments"], chat_url: received.chat.url });
  received.chat.behave(answer(404, "no_service"));
  await arrive(office);
  await work(office);
  expect(await settingsOf(office)).toMatchObject({
    chat: ["payments"],
    chat_off: true,
    chat_problem: expect.stringContaining("It answered 404. Nothing more is sent there"),
  });
  await arrive(office);
  await work(office);
  expect(said()).toHaveLength(1);
  const test = async () =>
    data<NotificationTest>(
      await staffCall(office, "POST", "/notification-settings/test", { channel: "chat" }),
    );
  expect(await test()).toMatchObject({ error: "It answered 404.", answer: "no_service" });
  expect((await settingsOf(office)).chat_off).toBe(true);
  received.chat.behave(answer(200, "ok"));
  expect(await test()).toMatchObject({ error: null, answer: "ok" });
  expect(await settingsOf(office)).toMatchObject({ chat_off: false, chat_problem: null });
  await arrive(office);
  await work(office);
  expect(said().at(-1)).toContain("MYR 12.50 received");
});

test("a test needs a chat, a mail server and a confirmed address of the caller's own", async () => {
  const office = await newLiveOffice();
  const unproven = await colleague(office, false);
  const test = (channel: string, headers = office.headers) =>
    staffCall(office, "POST", "/notification-settings/test", { channel }, headers);
  expect((await test("chat")).status).toBe(409);
  expect((await test("mail")).body.message).toBe("This install has no mail server.");
  provideEnv({ SMTP_URL: "smtp://127.0.0.1:1" });
  expect((await test("mail", unproven.headers)).status).toBe(403);
  expect(data(await test("mail"))).toMatchObject({ recipient: office.email, error: null });
  const { rows } = await pool().query<{ recipient: string }>(
    "select recipient from mails where object_id = $1",
    [`test:${office.businessId}`],
  );
  expect(rows).toEqual([{ recipient: office.email }]);
});

test("the summary of a day comes once, in the morning, by each channel; a day without payments has none", async () => {
  const [office, quiet] = [await newLiveOffice(), await newLiveOffice()];
  for (const one of [office, quiet])
    await save(one, {
      mail: ["payments", "failures", "daily"],
      chat: ["daily"],
      chat_url: `${received.chat.url}/${one.businessId}`,
    });
  const due = async ({ businessId }: Office) =>
    (
      await pool().query<{ hour: number; soon: boolean }>(
        "select extract(hour from daily_due_at at time zone time_zone)::int as hour, daily_due_at between now() and now() + interval '24 hours' as soon from notification_settings s join businesses b on b.id = s.business_id where s.business_id = $1",
        [businessId],
      )
    ).rows[0];
  expect(await due(office)).toEqual({ hour: 8, soon: true });
  await arrive(office);
  await arrive(office, { amount: 2_000 });
  await runAll(notificationFanOut, office.businessId);
  await pool().query("delete from notifications where business_id = $1", [office.businessId]);
  // The payments are of yesterday.
  await pool().query(
    "update payment_sums set start = (select start - interval '1 day') where business_id = $1",
    [office.businessId],
  );
  for (const one of [office, quiet])
    for (let mornings = 0; mornings < 2; mornings++) {
      await pool().query(
        "update notification_settings set daily_due_at = now() where business_id = $1",
        [one.businessId],
      );
      expect(await runAll(dailySummaries, one.businessId)).toBe(1);
      expect(await due(one)).toEqual({ hour: 8, soon: true });
      await work(one);
    }
  expect(said()).toEqual([
    expect.stringContaining("2 payments, 0 failures\n• Collected: MYR 32.50 (2)"),
  ]);
  expect(mailsTo(office.email)).toHaveLength(1);
  expect(mailsTo(quiet.email)).toEqual([]);
  await save(office, { mail: ["payments"] });
  expect(await due(office)).toEqual({ hour: null, soon: null });
});

test.each([
  ["Asia/Kuala_Lumpur", "America/Bogota"],
  ["America/Bogota", "Asia/Kuala_Lumpur"],
])(
  "where a business moves from %s to %s between two summaries, each payment is in one of them",
  async (from, to) => {
    const office = await newLiveOffice();
    const { name, default_currency } = data<Business>(await staffCall(office, "GET", "/business"));
    const moveTo = async (time_zone: string) =>
      data(await staffCall(office, "PUT", "/business", { name, default_currency, time_zone }));
    const summarize = async () => {
      expect(await runOnce(dailySummaries, office.businessId)).toBe(1);
      await work(office);
    };
    await moveTo(from);
    await save(office, { chat: ["daily"], chat_url: received.chat.url });
    const first = "(now() at time zone $2)::date - 3";
    await pool().query(
      `update notification_settings set daily_due_at = (${first} + time '08:00') at time zone $2 where business_id = $1`,
      [office.businessId, from],
    );
    // From the beginning of the first summary to the end of the third.
    const { rowCount } = await pool().query(
      `insert into payment_sums (business_id, mode, kind, currency, amount, count, start)
       select $1, 'live', 'collected', 'MYR', 100, 1, moment from generate_series(
         (${first} - 1)::timestamp at time zone $2, ((${first} + 2)::timestamp at time zone $3) - interval '1 hour', interval '3 hours') moment`,
      [office.businessId, from, to],
    );
    await summarize();
    await moveTo(to);
    await summarize();
    await summarize();
    const counts = said().map((text) => Number(/MYR [\d.]+ \((\d+)\)/.exec(text)?.[1]));
    expect(counts).toHaveLength(3);
    expect(counts.reduce((sum, count) => sum + count)).toBe(rowCount);
  },
);

test("a payer who is erased before a message is sent is not in it", async () => {
  const office = await newLiveOffice();
  await save(office, { mail: ["payments"], chat: ["payments"], chat_url: received.chat.url });
  await arrive(office, { email: "gone@example.com", title: "For gone@example.com" });
  await runAll(notificationFanOut, office.businessId);
  const { businessId } = office;
  const ctx = systemCtx({ businessId, mode: "live" }, { kind: "operator" }, "notification-test");
  await erasePayer(ctx, "gone@example.com");
  await work(office);
  const texts = [...said(), ...mailsTo(office.email).map(({ text }) => text ?? "")];
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).toContain("MYR 12.50");
    expect(text).not.toMatch(/gone@example\.com/);
  }
});

test("a message that a chat has taken is said once though its row is locked for longer than a statement waits", async () => {
  await waitBriefly();
  try {
    const office = await newLiveOffice();
    await save(office, { chat: ["payments"], chat_url: received.chat.url });
    await arrive(office);
    const locked = Promise.withResolvers<() => Promise<void>>();
    received.chat.behave((one, response, times) => {
      locked.resolve(
        lockUntilMissed(
          "select from notifications where business_id = $1 for update",
          String(office.businessId),
        ),
      );
      void locked.promise.then(() => answer(200, "ok")(one, response, times));
    });
    const working = work(office);
    const unlock = await locked.promise;
    await unlock();
    await working;
    await pool().query("update notifications set leased_until = null where business_id = $1", [
      office.businessId,
    ]);
    await work(office);
    expect(said()).toHaveLength(1);
    expect(await rowsOf(office)).toMatchObject([{ status: "sent", tries: 1 }]);
  } finally {
    provideLimits();
  }
});
