import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { frequencies } from "@/lib/contract/values";
import { advances } from "@/lib/flows/clock-advance/job";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { type Answer, api, newTenant, type Tenant } from "./setting";
import { runOnce } from "../run-once";

let tenant: Tenant;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
  tenant = await newTenant();
});
afterAll(closePool);

const call = (method: string, path: string, body?: unknown) =>
  api(method, path, { key: tenant.keys.test, body });
const idOf = ({ body }: Answer) => (body.data as { _id: string })._id;

const newPackage = (change: Record<string, unknown> = {}) =>
  call("POST", "/packages", {
    name: "Membership",
    amount: 1_250,
    currency: "MYR",
    frequency: "yearly",
    date_charge_start: "2026-01-01",
    ...change,
  });
const subscribe = (made: Answer, clock?: Answer) =>
  call("POST", "/subscriptions", {
    package_id: idOf(made),
    email: `${newId()}@example.com`,
    ...(clock ? { test_clock_id: idOf(clock) } : {}),
  });
const newClock = (now: string) => call("POST", "/test-clocks", { name: "The end of days", now });

function expectRefused(answer: Answer, field: string, text: string) {
  expect([answer.status, answer.body.errors]).toEqual([422, { [field]: [text] }]);
}

describe("days beyond the calendar are refused where they are given, so nothing counts on from them", () => {
  test.each(["3000-01-01", "9999-12-31"])("a package that starts on %s", async (day) => {
    expectRefused(
      await newPackage({ date_charge_start: day }),
      "date_charge_start",
      "The date charge start must be a date before or equal to 2999-12-31.",
    );
  });

  test.each(["3000-01-01T00:00:00Z", "9999-06-01T00:00:00Z", "9999-12-31T23:59:59Z"])(
    "a clock at %s, or advanced to it",
    async (moment) => {
      expectRefused(
        await newClock(moment),
        "now",
        "The now must be a date before or equal to 2999-12-31.",
      );
      const clock = await newClock("2999-12-31T00:00:00Z");
      expectRefused(
        await call("POST", `/test-clocks/${idOf(clock)}/advance`, { to: moment }),
        "to",
        "The to must be a date before or equal to 2999-12-31.",
      );
    },
  );

  test("a clock before there were clocks", async () => {
    expectRefused(
      await newClock("0001-01-01T00:00:00Z"),
      "now",
      "The now must be a date after or equal to 1970-01-01.",
    );
  });
});

describe.each(frequencies)("at either end of the calendar a %s subscription", (frequency) => {
  test("to a package of the last day is made", async () => {
    const made = await subscribe(await newPackage({ frequency, date_charge_start: "2999-12-31" }));
    expect([made.status, made.body.data]).toEqual([
      200,
      expect.objectContaining({ next_charge_at: "2999-12-31T00:00:00.000000Z" }),
    ]);
  });

  test.each([
    ["2999-12-20T00:00:00Z", "2999-12-31T23:59:59.999999Z"],
    ["1970-01-01T00:00:00Z", "1970-01-10T00:00:00Z"],
  ])("under a clock goes from %s to %s", async (from, to) => {
    const clock = await newClock(from);
    const made = await subscribe(
      await newPackage({ frequency, date_charge_start: from.slice(0, 10) }),
      clock,
    );
    expect(made.status).toBe(200);
    const advanced = call("POST", `/test-clocks/${idOf(clock)}/advance`, { to });
    const work = async () => {
      await runOnce(advances, tenant.businessId);
      return (await call("GET", `/test-clocks/${idOf(clock)}`)).body.data;
    };
    await expect
      .poll(work, { timeout: 60_000 })
      .toMatchObject({ status: "ready", now: expect.stringContaining(to.slice(0, -1)) });
    expect((await advanced).status).toBe(200);
    expect((await call("GET", `/subscriptions/${idOf(made)}`)).body.data).toMatchObject({
      status: "past_due",
    });
    expect((await call("DELETE", `/test-clocks/${idOf(clock)}`)).status).toBe(200);
  });
});
