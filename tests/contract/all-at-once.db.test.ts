import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { endpoints } from "@/lib/contract/programs";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { as, someStaff } from "../staff/person";
import { addressOf, bodyFor, children, readyPath } from "./fixtures";
import { api, newTenant, type Tenant } from "./setting";

let own: Tenant;
/** Its gateway cannot take the amount of its package. */
let picky: Tenant;
let odd: Record<string, unknown>;
let oddId: string;
beforeAll(async () => {
  own = await newTenant();
  picky = await newTenant();
  odd = {
    name: "Dates",
    amount: 5_001,
    currency: "KWD",
    frequency: "monthly",
    date_charge_start: "2027-01-31",
  };
  const made = await api("POST", "/packages", { key: picky.keys.test, body: odd });
  oddId = (made.body.data as { _id: string })._id;
  const id = randomBytes(16).toString("hex");
  const account = { mode: "test", gateway: "stripe", secret: null } as const;
  await insertConnection(db, { ...account, businessId: picky.businessId, id });
});
afterAll(closePool);

/** The fields that a call is refused for. */
async function refused(
  method: string,
  path: string,
  body?: unknown,
  by: Tenant = own,
): Promise<Record<string, string[]>> {
  const answer = await api(method, path, { key: by.keys.test, body });
  expect([answer.status, answer.body.message]).toEqual([422, "The given data was invalid."]);
  return answer.body.errors as Record<string, string[]>;
}

const endpoint = (id: string) =>
  endpoints.find((one) => one.id === id) as (typeof endpoints)[number];
const path = (id: string) => readyPath(endpoint(id), own.ctx.test);
const badEmail = { email: ["The email must be a valid email address."] };
const badPackage = { package_id: ["The selected package id is invalid."] };
const badClock = { test_clock_id: ["The selected test clock id is invalid."] };

describe("what a look at the records finds comes together with what the schema finds", () => {
  test("a subscription's package and test clock", async () => {
    const { package_id } = (await bodyFor(endpoint("createSubscription"), own.ctx.test)) as {
      package_id: string;
    };
    const missing = "0".repeat(24);
    expect(await refused("POST", "/subscriptions", { email: "bad", package_id: "zz" })).toEqual({
      ...badEmail,
      ...badPackage,
    });
    expect(
      await refused("POST", "/subscriptions", {
        email: "bad",
        package_id: missing,
        test_clock_id: "zz",
      }),
    ).toEqual({ ...badEmail, ...badPackage, ...badClock });
    expect(
      await refused("POST", "/subscriptions", {
        email: "ana@example.com",
        package_id: missing,
        test_clock_id: missing,
      }),
    ).toEqual({ ...badPackage, ...badClock });
    expect(await refused("POST", "/subscriptions", { email: "bad", package_id })).toEqual(badEmail);
    expect(
      await refused("POST", "/subscriptions", { package_id: 1, test_clock_id: missing }),
    ).toEqual({
      email: ["The email field is required."],
      package_id: ["The package id must be a string."],
      ...badClock,
    });
  });

  test("an amount of a package that the gateway cannot take, unless it is unchanged", async () => {
    const [path, tooFine] = [`/packages/${oddId}`, [expect.stringContaining("multiple of 10")]];
    expect(
      await refused("POST", "/subscriptions", { email: "bad", package_id: oddId }, picky),
    ).toEqual({ ...badEmail, package_id: tooFine });
    const badName = { name: ["The name field is required."] };
    expect(await refused("PUT", path, { ...odd, name: "" }, picky)).toEqual(badName);
    expect(await refused("PUT", path, { ...odd, name: "", amount: 5_002 }, picky)).toEqual({
      ...badName,
      amount: tooFine,
    });
    const renamed = { ...odd, name: "Figs" };
    const answer = await api("PUT", path, { key: picky.keys.test, body: renamed });
    expect(answer.status).toBe(200);
  });

  test("more than is left of a payment", async () => {
    const of = await path("createRefund");
    const long = { reason: "x".repeat(5_001) };
    const { reason } = await refused("POST", of, long);
    expect(reason).toHaveLength(1);
    expect(await refused("POST", of, { ...long, amount: 999_999 })).toEqual({
      reason,
      amount: [expect.stringContaining("must not be greater than")],
    });
    expect(await refused("POST", of, { ...long, amount: 1 })).toEqual({ reason });
  });

  test("when the links of many rows expire and are due", async () => {
    const row = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Invoice" };
    const past = { expires_at: "2020-01-01T00:00:00Z", due_at: "2020-02-01T00:00:00Z" };
    const reminders = [{ relative_to: "due_at", days: 1 }];
    const rows = [
      { ...row, ...past, email: "bad" },
      { ...row, due_at: "soon", reminders },
    ];
    const body = { rows, dry_run: true };
    const answer = await api("POST", "/payment-links/bulk", { key: own.keys.test, body });
    const report = answer.body.data as { rows: { errors: unknown }[] };
    expect(report.rows.map(({ errors }) => errors)).toEqual([
      {
        ...badEmail,
        expires_at: ["The expires at must be a date after now."],
        due_at: ["The due at must not be after the expiry."],
      },
      { due_at: ["The due at is not a valid date."] },
    ]);
  });

  test("the fields that a batch needs beside each other", async () => {
    const badFlag = { shorten: ["The shorten field must be true or false."] };
    const needsIds = { expected: ["The expected field is required when ids is not present."] };
    expect(await refused("POST", "/batches", { action: "extend", shorten: "zz" })).toEqual({
      expires_at: ["The expires at field is required when extend days is not present."],
      ...needsIds,
      ...badFlag,
    });
    expect(
      await refused("POST", "/batches", { action: "extend", extend_days: "zz", ids: ["zz"] }),
    ).toEqual({
      extend_days: ["The extend days must be an integer."],
      "ids.0": [expect.any(String)],
    });
    expect(
      await refused("POST", "/batches", { action: "extend", extend_days: 1, expires_at: "soon" }),
    ).toEqual({
      expires_at: ["The expires at is not a valid date."],
      extend_days: ["The extend days field is prohibited when expires at is present."],
      ...needsIds,
    });
    expect(await refused("POST", "/batches", { action: "zz" })).toEqual({
      action: ["The selected action is invalid."],
      ...needsIds,
    });
  });

  test("a webhook endpoint's address", async () => {
    const both = {
      url: ["The url must begin with https."],
      "events.0": ["The selected events is invalid."],
    };
    expect(
      await refused("POST", "/webhook-endpoints", { url: "http://example.com", events: ["nope"] }),
    ).toEqual(both);
    expect(
      await refused("PUT", await path("updateWebhookEndpoint"), {
        url: "http://example.com",
        events: ["nope"],
      }),
    ).toEqual(both);
    expect(await refused("PUT", await path("updateWebhookEndpoint"), { events: ["nope"] })).toEqual(
      { "events.0": both["events.0"] },
    );
  });

  test("when money came that is recorded by hand", async () => {
    const link = await path("recordPayment");
    const badMethod = { method: ["The selected method is invalid."] };
    expect(
      await refused("POST", link, { method: "card", received_at: "2999-01-01T00:00:00Z" }),
    ).toEqual({
      ...badMethod,
      received_at: ["The received at must be a date before or equal to now."],
    });
    expect(
      await refused("POST", link, { method: "card", received_at: "2020-01-01T00:00:00Z" }),
    ).toEqual(badMethod);
  });

  test("a gateway's key of the other mode", async () => {
    const staff = await someStaff();
    const headers = { ...as(staff), origin: "http://localhost:3000" };
    const id = randomBytes(16).toString("hex");
    const account = { mode: "test", gateway: "stripe", secret: null } as const;
    await insertConnection(db, { ...account, businessId: staff.businessId, id });
    const keyOf = async (method: string, path: string) => {
      const answer = await api(method, path, {
        headers,
        body: { secret_key: "sk_live_51Nexample", webhook_secret: "zz" },
      });
      return [answer.status, answer.body.errors];
    };
    const both = {
      secret_key: [expect.stringContaining("must be one of test mode")],
      webhook_secret: ["The webhook secret format is invalid."],
    };
    expect(await keyOf("POST", "/gateway-connections")).toEqual([422, both]);
    expect(await keyOf("PUT", `/gateway-connections/${id}`)).toEqual([422, both]);
    const body = { webhook_secret: "another-secret" };
    const alone = await api("PUT", `/gateway-connections/${id}`, { headers, body });
    expect(alone.body.errors).toEqual({ webhook_secret: both.webhook_secret });
  });

  test("a webhook secret for CHIP, which hands out its own, also one that is removed", async () => {
    const staff = await someStaff();
    const headers = { ...as(staff), origin: "http://localhost:3000" };
    const id = randomBytes(16).toString("hex");
    const account = { mode: "test", gateway: "chip", secret: null } as const;
    await insertConnection(db, { ...account, businessId: staff.businessId, id });
    for (const secret of [null, "another-secret"]) {
      const body = { webhook_secret: secret };
      expect(await api("PUT", `/gateway-connections/${id}`, { headers, body })).toMatchObject({
        status: 422,
        body: {
          errors: { webhook_secret: ["The webhook secret comes from CHIP itself: leave it out."] },
        },
      });
    }
  });

  test("a field that was sent is not called missing", async () => {
    const link = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Invoice" };
    const reminders = [{ relative_to: "due_at", days: 1 }];
    expect(await refused("POST", "/payment-links", { ...link, due_at: "soon", reminders })).toEqual(
      { due_at: ["The due at is not a valid date."] },
    );
    expect(await refused("POST", await path("replayEvents"), { from: "soon" })).toEqual({
      from: ["The from is not a valid date."],
    });
  });

  test("where a replay begins, and the event that a walk goes on from", async () => {
    const replay = await path("replayEvents");
    const badFlag = { undelivered: ["The undelivered field must be true or false."] };
    expect(await refused("POST", replay, { undelivered: "zz" })).toEqual({
      from: ["The from field is required when after is not present."],
      ...badFlag,
    });
    expect(await refused("POST", replay, { undelivered: "zz", after: "0".repeat(24) })).toEqual({
      after: ["The selected after is invalid."],
      ...badFlag,
    });
    expect(await refused("POST", replay, { undelivered: "zz", after: "zz" })).toEqual({
      after: ["The after format is invalid."],
      ...badFlag,
    });
    expect(
      Object.keys(await refused("GET", `/events?after=${"0".repeat(24)}&per_page=0`)).sort(),
    ).toEqual(["after", "per_page"]);
  });
});

describe("a list's cursor", () => {
  const bad = { cursor: ["The selected cursor is invalid."] };
  const badSize = { per_page: ["The per page must be at least 1."] };

  test("that no list issued is reported with the other bad parameters, in every list", async () => {
    for (const list of endpoints.filter(
      ({ method, id }) => method === "GET" && id.startsWith("list"),
    )) {
      const parent = (await children[list.id]?.(own.ctx.test))?.parent;
      const at = parent === undefined ? list.path : addressOf(list, parent);
      expect([list.id, await refused("GET", `${at}?cursor=abc&per_page=0`)]).toEqual([
        list.id,
        { ...bad, ...badSize },
      ]);
      expect([
        list.id,
        Object.keys(await refused("GET", `${at}?cursor=abc&sort=zz`)).sort(),
      ]).toEqual([list.id, ["cursor", "sort"]]);
    }
  });

  test("that a list issued is not reported: not for its own order, nor where the order is wrong or a page is given", async () => {
    for (let made = 0; made < 2; made++)
      await api("POST", "/packages", {
        key: own.keys.test,
        body: await bodyFor(endpoint("createPackage"), own.ctx.test),
      });
    const answer = await api("GET", "/packages?per_page=1&sort=amount", { key: own.keys.test });
    const cursor = (answer.body.data as { next_cursor: string }).next_cursor;
    expect(await refused("GET", `/packages?cursor=${cursor}&sort=amount&per_page=0`)).toEqual(
      badSize,
    );
    expect(await refused("GET", `/packages?cursor=${cursor}&per_page=0`)).toEqual({
      ...bad,
      ...badSize,
    });
    expect(await refused("GET", `/packages?cursor=${cursor}&sort=zz`)).toEqual({
      sort: ["The selected sort is invalid."],
    });
    expect(await refused("GET", "/packages?cursor=abc&page=1&per_page=0")).toEqual(badSize);
  });
});
