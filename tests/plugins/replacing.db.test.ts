import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { api } from "../contract/setting";
import { connect, createLink, type Link, ok, type Plugin, v1 } from "./setting";

afterAll(closePool);

let plugin: Plugin;
beforeAll(async () => {
  plugin = await connect();
});

const order = { email: "siti@example.com", currency: "MYR", amount: "50.00", title: "Kedai Demo" };
const dates = {
  expires_at: "2031-01-31T12:00:00.000000Z",
  due_at: "2031-01-15T12:00:00.000000Z",
  reminders: [{ days: -1, relative_to: "due_at" }],
};
const none = { expires_at: null, due_at: null, reminders: null };

const created = (body: object) => createLink(plugin, JSON.stringify(body));
const call = (method: string, id: string, body?: object, headers = {}) =>
  v1(method, `/payment-links/${id}`, {
    key: plugin.apiKey,
    headers,
    ...(body ? { json: JSON.stringify(body) } : {}),
  });

test("a link can be replaced and deleted in major units, and keeps its integration", async () => {
  const { _id } = await created(order);
  const changed = ok<Link>(await call("PUT", _id, { ...order, amount: "1,060.10" }));
  expect(changed).toMatchObject({ amount: 1060.1, integration_id: plugin.id });
  ok(await call("DELETE", _id));
  expect((await call("GET", _id)).status).toBe(404);
});

test("a new link takes expiry, due date and reminders", async () => {
  expect(await created({ ...order, ...dates })).toMatchObject(dates);
  expect(await created(order)).toMatchObject(none);
});

test("a PUT of what a GET returned keeps expiry, due date and reminders that staff have set", async () => {
  const { _id } = await created(order);
  const staff = await api("PUT", `/payment-links/${_id}`, {
    key: plugin.tenant.keys.test,
    body: { ...order, amount: 5_000, ...dates },
  });
  expect(staff.status).toBe(200);
  const read = ok<Link>(await call("GET", _id));
  expect(read).toMatchObject({ amount: 50, ...dates });
  const { updated_at: _before, ...kept } = read;
  expect(ok<Link>(await call("PUT", _id, read))).toMatchObject(kept);
});

test("a PUT without expiry, due date and reminders clears them, as at /api", async () => {
  const { _id } = await created({ ...order, ...dates });
  expect(ok<Link>(await call("PUT", _id, order))).toMatchObject(none);
});

describe("a link that staff edited after it was read", () => {
  /** A link as it was read before staff asked for 120.00 instead of 50.00. */
  async function outdated(): Promise<Link> {
    const { _id } = await created(order);
    const read = ok<Link>(await call("GET", _id));
    const body = { ...order, amount: 12_000 };
    await api("PUT", `/payment-links/${_id}`, { key: plugin.tenant.keys.test, body });
    return read;
  }
  const stale = {
    message: "This record was edited after version 1: it is at version 2 now.",
    errors: {
      payment_link: ["This record was edited after version 1: it is at version 2 now."],
    },
  };
  const staffs = { amount: 120, version: 2 };

  test.each<[string, string, (read: Link) => [object?, object?]]>([
    ["its version", "PUT", (read) => [read]],
    ["If-Match", "PUT", () => [order, { "if-match": '"1"' }]],
    ["If-Match", "DELETE", () => [undefined, { "if-match": '"1"' }]],
  ])("keeps staff's price, because %s in a %s names the older one", async (_by, method, sent) => {
    const read = await outdated();
    const { status, body } = await call(method, read._id, ...sent(read));
    expect([status, body]).toEqual([409, stale]);
    expect(ok<Link>(await call("GET", read._id))).toMatchObject(staffs);
    const next = [{ ...read, ...staffs, title: "New" }, { "if-match": '"2"' }] as const;
    expect(ok<Link>(await call("PUT", read._id, ...next))).toMatchObject({ amount: 120 });
  });

  test("is replaced and deleted without either, as before", async () => {
    const { _id } = await outdated();
    expect(ok<Link>(await call("PUT", _id, order))).toMatchObject({ amount: 50, version: 3 });
    ok(await call("DELETE", _id));
  });

  test("is refused where the version is none, or differs from If-Match", async () => {
    const { _id } = await outdated();
    const wrong: [object, object, string][] = [
      [{ ...order, version: "2" }, {}, "The version must be an integer."],
      [{ ...order, version: 1 }, { "if-match": '"2"' }, "The version and If-Match must match."],
    ];
    for (const [sent, headers, text] of wrong) {
      const { status, body } = await call("PUT", _id, sent, headers);
      expect([status, body.errors]).toEqual([422, { version: [text] }]);
    }
    expect(ok<Link>(await call("GET", _id))).toMatchObject(staffs);
  });
});

test("an expiry that has passed, a due date after the expiry and a small amount are refused at once", async () => {
  const { _id } = await created(order);
  const wrong = {
    ...order,
    amount: "4.99",
    expires_at: "2020-01-01T00:00:00Z",
    due_at: "2020-02-01T00:00:00Z",
  };
  const answers = [
    await v1("POST", "/payment-links", { key: plugin.apiKey, json: JSON.stringify(wrong) }),
    await call("PUT", _id, wrong),
  ];
  for (const { status, body } of answers)
    expect([status, body.errors]).toEqual([
      422,
      {
        amount: ["The amount must be at least 5.00."],
        expires_at: ["The expires at must be a date after now."],
        due_at: ["The due at must not be after the expiry."],
      },
    ]);
});
