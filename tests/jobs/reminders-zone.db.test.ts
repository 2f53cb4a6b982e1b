import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Business } from "@/lib/contract/business";
import { dailySummaries } from "@/lib/flows/notifying/job";
import { linkReminders } from "@/lib/flows/reminders/job";
import { data, newLink, newOffice, type Office, staffCall } from "../dashboard/setting";
import { runAll } from "../run-once";

afterAll(closePool);

const reminders = [{ days: 3, relative_to: "created_at" }];

/** A zone in which it is between that hour and the next, or the one so many hours to its east. */
function zoneAt(hour: number, east = 0): string {
  const hours = ((hour - new Date().getUTCHours() + 36) % 24) - 12 + east;
  return `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
}

async function moveTo(office: Office, zone: string): Promise<void> {
  const { name, default_currency } = data<Business>(await staffCall(office, "GET", "/business"));
  data(await staffCall(office, "PUT", "/business", { name, default_currency, time_zone: zone }));
}
const run = (office: Office) => runAll(linkReminders, office.businessId);
const planned = async (id: string) =>
  (
    await pool().query<{ local: string; ahead: number }>(
      `select to_char(next_reminder_at at time zone time_zone, 'HH24:MI') as local,
         (next_reminder_at at time zone time_zone)::date - (l.created_at at time zone time_zone)::date as ahead
       from payment_links l join businesses b on b.id = l.business_id where l.id = $1`,
      [id],
    )
  ).rows[0];
const mails = async (id: string) =>
  (await pool().query("select from mails where object_id = $1 and kind = 'payment_reminder'", [id]))
    .rowCount;

test.each([
  ["Asia/Tokyo", "America/New_York"],
  ["America/New_York", "Asia/Tokyo"],
  ["Europe/London", "Europe/Paris"],
  ["Pacific/Pago_Pago", "Pacific/Kiritimati"],
])(
  "a reminder that was planned in %s goes out at nine in %s once the business is there",
  async (from, to) => {
    const office = await newOffice();
    await moveTo(office, from);
    const id = await newLink(office, { reminders });
    expect(await planned(id)).toEqual({ local: "09:00", ahead: 3 });
    await moveTo(office, to);
    await run(office);
    expect(await planned(id)).toEqual({ local: "09:00", ahead: 3 });
    expect(await mails(id)).toBe(0);
  },
);

/** A link with a reminder that is due, planned for an hour of the present zone. */
async function dueAt(office: Office, local: string): Promise<string> {
  const id = await newLink(office, { reminders });
  await pool().query(
    `update payment_links l set created_at = (select l.created_at - interval '3 days'),
       next_reminder_at = ((now() at time zone time_zone)::date + $2::time) at time zone time_zone
     from businesses b where b.id = l.business_id and l.id = $1`,
    [id, local],
  );
  return id;
}

test("a reminder that an earlier zone planned for an afternoon waits for the next morning, and one that is late on its day does not", async () => {
  const office = await newOffice();
  await pool().query("update businesses set time_zone = $2 where id = $1", [
    office.businessId,
    zoneAt(15),
  ]);
  const [elsewhere, late] = [await dueAt(office, "14:00"), await dueAt(office, "09:00")];
  await run(office);
  expect([await mails(elsewhere), await mails(late)]).toEqual([0, 1]);
  expect(await planned(elsewhere)).toEqual({ local: "09:00", ahead: 4 });
  await pool().query(
    `update payment_links set next_reminder_at = (select next_reminder_at - interval '1 day') where id = $1`,
    [elsewhere],
  );
  await run(office);
  expect(await mails(elsewhere)).toBe(1);
});

const chooseDaily = async (office: Office) =>
  data(await staffCall(office, "PUT", "/notification-settings", { mail: ["daily"], chat: [] }));

test("a daily summary that was planned comes at eight in the new zone", async () => {
  const office = await newOffice();
  await moveTo(office, "Asia/Tokyo");
  await chooseDaily(office);
  await moveTo(office, "America/New_York");
  const { rows } = await pool().query(
    `select to_char(daily_due_at at time zone 'America/New_York', 'HH24:MI') as local, daily_due_at > now() as ahead
     from notification_settings where business_id = $1`,
    [office.businessId],
  );
  expect(rows).toEqual([{ local: "08:00", ahead: true }]);
});

/** The days of the summaries that are queued, counted back from today. */
async function summarised(office: Office): Promise<number[]> {
  await runAll(dailySummaries, office.businessId);
  const { rows } = await pool().query<{ ago: number }>(
    `select (now() at time zone time_zone)::date - day as ago from notifications n
     join businesses b on b.id = n.business_id where n.business_id = $1 order by day`,
    [office.businessId],
  );
  return rows.map(({ ago }) => ago);
}

test("a day has its summary, once, where the business moves to a zone in which the morning is over, and back", async () => {
  const [office, early, later] = [await newOffice(), zoneAt(6), zoneAt(6, 3)];
  await moveTo(office, early);
  await chooseDaily(office);
  expect(await summarised(office)).toEqual([]);
  await moveTo(office, later);
  expect(await summarised(office)).toEqual([1]);
  await moveTo(office, early);
  expect(await summarised(office)).toEqual([1]);
});

test.each([0, 3])(
  "each day has its summary after days without a worker, also where the business moved %i hours east meanwhile",
  async (hours) => {
    const [office, zone, later] = [await newOffice(), zoneAt(15), zoneAt(15, hours)];
    await moveTo(office, zone);
    await chooseDaily(office);
    await pool().query(
      "update notification_settings set daily_due_at = (select daily_due_at - interval '3 days') where business_id = $1",
      [office.businessId],
    );
    await moveTo(office, later);
    expect(await summarised(office)).toEqual([3, 2, 1]);
  },
);
