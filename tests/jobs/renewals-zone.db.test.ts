import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Business } from "@/lib/contract/business";
import type { Subscription } from "@/lib/contract/subscriptions";
import { data, keyCall, newOffice, type Office, staffCall } from "../dashboard/setting";

afterAll(closePool);

async function moveTo(office: Office, zone: string): Promise<void> {
  const { name, default_currency } = data<Business>(await staffCall(office, "GET", "/business"));
  data(await staffCall(office, "PUT", "/business", { name, default_currency, time_zone: zone }));
}

async function subscribed(
  office: Office,
  begins: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { _id } = data<{ _id: string }>(
    await keyCall(office, "POST", "/packages", {
      name: "Membership",
      amount: 1_250,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: begins,
    }),
  );
  const body = { package_id: _id, email: "ana@example.com", ...more };
  return data<Subscription>(await keyCall(office, "POST", "/subscriptions", body))._id;
}

/** When the first period is charged, with its jitter in seconds, and what the API says of it. */
async function planned(office: Office, id: string) {
  const { rows } = await pool().query<{ due: string; jitter: number }>(
    `select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as due, extract(epoch from next_attempt_at - due_at)::float8 as jitter
     from subscription_periods where subscription_id = $1`,
    [id],
  );
  const { next_charge_at } = data<Subscription>(
    await keyCall(office, "GET", `/subscriptions/${id}`),
  );
  return { ...rows[0], next: next_charge_at?.slice(0, 19).replace("T", " ") };
}

test.each([
  ["UTC", "America/New_York", "2099-01-01 05:00:00"],
  ["America/New_York", "Asia/Tokyo", "2098-12-31 15:00:00"],
  ["Pacific/Pago_Pago", "Pacific/Kiritimati", "2098-12-31 10:00:00"],
])(
  "a charge that was planned in %s comes at midnight in %s once the business is there",
  async (from, to, midnight) => {
    const office = await newOffice();
    await moveTo(office, from);
    const ids = [await subscribed(office, "2099-01-01"), await subscribed(office, "2099-01-01")];
    const before = await Promise.all(ids.map((id) => planned(office, id)));
    await moveTo(office, to);
    for (const [index, id] of ids.entries()) {
      const jitter = before[index]?.jitter;
      expect(await planned(office, id)).toEqual({ due: midnight, jitter, next: midnight });
    }
  },
);

test("what is due already and what follows a test clock stay as they were planned", async () => {
  const office = await newOffice();
  const clock = data<{ _id: string }>(
    await keyCall(office, "POST", "/test-clocks", { name: "Test", now: "2026-01-01T00:00:00Z" }),
  );
  const ids = [
    await subscribed(office, "2020-01-01"),
    await subscribed(office, "2099-01-01", { test_clock_id: clock._id }),
  ];
  const before = await Promise.all(ids.map((id) => planned(office, id)));
  await moveTo(office, "America/New_York");
  expect(await Promise.all(ids.map((id) => planned(office, id)))).toEqual(before);
});
