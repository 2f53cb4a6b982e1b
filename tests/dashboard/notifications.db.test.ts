import { expect, test } from "vitest";
import { pool, withTransaction } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { notificationFanOut } from "@/lib/flows/notifying/job";
import { queueNotifications } from "@/lib/flows/notifying/steps";
import { runOnce } from "../run-once";
import { keyCall, newLink, pay, staffCall } from "./setting";
import {
  arrive,
  colleague,
  newLiveOffice,
  queued,
  receivers,
  rowsOf,
  save,
  settingsOf,
} from "./notification-setting";

const received = receivers();
const { said, mailsTo, sending, work } = received;

test("each member chooses for themselves; the chat's address is sealed and shown by its ends only", async () => {
  const office = await newLiveOffice();
  const viewer = await colleague(office);
  const secret = `${received.chat.url}/T0/B0/very-secret-x9Yz`;
  expect(
    await save(office, { chat: ["payments", "payments"], chat_url: secret }, viewer.headers),
  ).toEqual({
    mail: [],
    chat: ["payments"],
    chat_address: `${new URL(received.chat.url).host}…x9Yz`,
    chat_off: false,
    chat_problem: null,
  });
  expect((await settingsOf(office)).chat).toEqual([]);
  expect(await save(office, { mail: ["daily"] }, viewer.headers)).toMatchObject({
    chat_address: `${new URL(received.chat.url).host}…x9Yz`,
  });
  const { rows } = await pool().query<{ all: string }>(
    "select (select json_agg(s)::text from notification_settings s where business_id = $1) || (select json_agg(a)::text from audit_entries a where business_id = $1) as all",
    [office.businessId],
  );
  expect(rows[0]?.all).not.toContain("very-secret");
  expect(rows[0]?.all).toContain("updateNotificationSettings");
  expect((await save(office, { chat_url: null }, viewer.headers)).chat_address).toBeNull();
  expect((await keyCall(office, "GET", "/notification-settings")).status).toBe(403);
});

test("an address that webhooks may not go to is refused, and a chat needs one", async () => {
  const office = await newLiveOffice();
  const put = (body: object) =>
    staffCall(office, "PUT", "/notification-settings", { mail: [], chat: [], ...body });
  expect((await put({ chat: ["payments"] })).body.errors).toEqual({
    chat_url: ["The chat url field is required."],
  });
  provideEnv({ WEBHOOK_ALLOW_PRIVATE: "" });
  for (const [url, why] of [
    ["http://hooks.slack.com/x", "The chat url must begin with https."],
    ["https://127.0.0.1/x", "The chat url must not be in a private network."],
    ["https://db.internal/x", "The chat url must not be in a private network."],
    ["https://hooks.slack.com:22/x", "The chat url must not use this port."],
  ])
    expect((await put({ chat_url: url })).body.errors).toEqual({ chat_url: [why] });
});

test("a live payment reaches mail and chat once, escaped, with the business's name; test mode and other businesses nothing", async () => {
  const [office, other] = [await newLiveOffice(), await newLiveOffice()];
  await save(office, { mail: ["payments"], chat: ["payments"], chat_url: received.chat.url });
  await save(other, {
    mail: ["payments"],
    chat: ["payments"],
    chat_url: `${received.chat.url}/other`,
  });
  await pay(office, await newLink(office));
  expect(await queued(office)).toBe(0);
  await arrive(office, { title: "<!channel> & @here" });
  await work(office);
  await work(other);
  expect(said()).toEqual([
    expect.stringContaining(
      "Some Shop: MYR 12.50 received\n• MYR 12.50 from ana@example.com for “&lt;!channel&gt; &amp; @",
    ),
  ]);
  expect(said()[0]).toMatch(new RegExp(`/b/${office.businessId}/live/payments/[0-9a-f]{24}$`));
  const [sent, ...more] = mailsTo(office.email);
  expect(more).toEqual([]);
  expect(sent?.subject).toBe("MYR 12.50 received · Some Shop");
  expect(sent?.text).toContain("MYR 12.50 from ana@example.com for “<!channel> & @here”");
  expect(sent?.html).not.toContain("<!channel>");
  expect(mailsTo(other.email)).toEqual([]);
});

test("a payment writes no row of the queue while no member of the business wants to know", async () => {
  const office = await newLiveOffice();
  await arrive(office);
  await save(office, { mail: ["daily"] });
  await arrive(office);
  expect(await queued(office)).toBe(0);
  await save(office, { mail: ["payments"] });
  await arrive(office);
  expect(await queued(office)).toBe(1);
});

test("each event is in exactly one message of a person and channel, also when workers die and race", async () => {
  const office = await newLiveOffice();
  const viewer = await colleague(office);
  for (const headers of [office.headers, viewer.headers])
    await save(
      office,
      { mail: ["payments"], chat: ["payments"], chat_url: received.chat.url },
      headers,
    );
  for (let made = 0; made < 6; made++) {
    await arrive(office, { email: `payer${made}@example.com` });
    // A worker dies with its transaction.
    const { rows } = await pool().query(
      'select consumer, business_id as "businessId", event_id as "eventId" from event_queue where business_id = $1 and consumer = $2',
      [office.businessId, "notifications"],
    );
    await expect(
      withTransaction(async (tx) => {
        await queueNotifications(tx, rows as never);
        throw new Error("killed");
      }),
    ).rejects.toThrow("killed");
    const { businessId } = office;
    await Promise.all([
      runOnce(notificationFanOut, businessId),
      runOnce(notificationFanOut, businessId),
      runOnce(sending(), businessId),
    ]);
  }
  await work(office);
  const { rows: events } = await pool().query<{ id: string }>(
    "select id from events where business_id = $1 and mode = 'live' and type = 'payment.succeeded' order by id",
    [office.businessId],
  );
  expect(events).toHaveLength(6);
  const rows = await rowsOf(office);
  for (const userId of [office.userId, viewer.userId])
    for (const channel of ["mail", "chat"])
      expect(
        rows
          .filter((row) => row.user_id === userId && row.channel === channel)
          .flatMap((row) => row.event_ids)
          .sort(),
      ).toEqual(events.map(({ id }) => id));
  const lines = said().flatMap((text) => text.split("\n").filter((line) => line.startsWith("•")));
  for (let made = 0; made < 6; made++)
    expect(lines.filter((line) => line.includes(`payer${made}@`))).toHaveLength(2);
});
