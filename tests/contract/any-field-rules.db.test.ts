import { afterAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { NewOwner } from "@/lib/contract/account";
import { check } from "@/lib/contract/messages";
import { type Answer, api } from "./setting";
import { create, data, expectInvalid, post, tenant, valid } from "./input-setting";

afterAll(closePool);

describe("send_email", () => {
  const kept = async (answer: Answer) => {
    const { rows } = await pool().query<{ send_email: boolean }>(
      "select send_email from payment_links where id = $1",
      [data(answer)._id],
    );
    return rows[0]?.send_email;
  };
  test.each([
    [true, true],
    [1, true],
    ["1", true],
    ["true", true],
    [false, false],
    [0, false],
    ["0", false],
    ["false", false],
    [null, true],
    ["", true],
    [undefined, true],
  ])("%j means %j", async (send_email, meant) => {
    const answer = await create({ send_email });
    expect(await kept(answer)).toBe(meant);
    expect(answer.body.data).not.toHaveProperty("send_email");
  });
  test.each(["yes", "TRUE", "on", 2, -1, 0.5, [], [true], {}])("%j is 422", async (send_email) => {
    expectInvalid(await create({ send_email }), {
      send_email: ["The send email field must be true or false."],
    });
  });
});

describe("every field", () => {
  test.each(["phone_no", "description", "redirect_url", "reference", "reference_2", "expires_at"])(
    "%s: null and blank count as absent",
    async (name) => {
      for (const value of [null, "", " \t\n"])
        expect(data(await create({ [name]: value }))[name]).toBeNull();
    },
  );
  test.each(["soon", "2026-02-30T00:00:00Z", "2999-01-01"])(
    "an invalid moment is reported once: %s",
    async (expires_at) => {
      expectInvalid(await post(JSON.stringify({ ...valid, expires_at })), {
        expires_at: ["The expires at is not a valid date."],
      });
    },
  );
  test("texts are trimmed, whatever is read from them", async () => {
    const call = (method: string, path: string, body?: unknown) =>
      api(method, path, { key: tenant.keys.test, body });
    const made = await create({
      send_email: " false ",
      due_at: " 2031-01-31T12:00:00Z\n",
      reminders: [{ days: -1, relative_to: " due_at " }],
    });
    expect(data(made)).toMatchObject({
      due_at: "2031-01-31T12:00:00.000000Z",
      reminders: [{ days: -1, relative_to: "due_at" }],
    });
    const gold = await call("POST", "/packages", {
      ...{ name: "Gold", amount: 4_900, currency: "MYR" },
      ...{ frequency: " monthly ", date_charge_start: "2031-01-31" },
    });
    const packageId = data(gold)._id as string;
    const subscribed = { email: "ana@example.com", package_id: `\t${packageId} ` };
    expect((await call("POST", "/subscriptions", subscribed)).status).toBe(200);
    const cancel = { action: " cancel ", ids: [` ${data(made)._id as string} `] };
    expect((await call("POST", "/batches", cancel)).status).toBe(200);
    const listed = await call("GET", "/packages?status=%20active%20&sort=%20amount");
    expect((data(listed).data as { _id: string }[]).map(({ _id }) => _id)).toEqual([packageId]);
  });
  test("an amount, a path's id and a password are taken as they were sent", async () => {
    expectInvalid(await create({ amount: " 500" }), {
      amount: [expect.any(String)],
    });
    const id = data(await create({}))._id as string;
    const key = tenant.keys.test;
    expect((await api("GET", `/payment-links/%20${id}`, { key })).status).toBe(404);
    const owner = { business_name: "Tide", name: "Ana", email: " ana@example.com " };
    expect(check(NewOwner, { ...owner, password: " qwvx rmtz plkj " })).toMatchObject({
      data: { email: "ana@example.com", password: " qwvx rmtz plkj " },
    });
  });
  test("unknown fields are ignored, also those that answers have", async () => {
    const answer = await create({
      _id: "0".repeat(24),
      status: "Paid",
      paid: true,
      business_id: 1,
      subscription_id: "0".repeat(24),
      created_at: "2000-01-01T00:00:00Z",
      nonsense: { deep: [1] },
    });
    expect(data(answer)).toMatchObject({
      status: "Active",
      paid: false,
      business_id: tenant.businessId,
      subscription_id: null,
    });
    expect(data(answer)._id).not.toBe("0".repeat(24));
    expect(answer.text).not.toContain("nonsense");
  });
  test("all violations of all fields come at once", async () => {
    expectInvalid(
      await post('{"currency":"XXX","amount":1,"redirect_url":"x","send_email":"perhaps"}'),
      {
        email: ["The email field is required."],
        currency: ["The selected currency is invalid."],
        amount: ["The amount must be at least 500."],
        title: ["The title field is required."],
        redirect_url: ["The redirect url must be a valid URL."],
        send_email: ["The send email field must be true or false."],
      },
    );
  });
});
