import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { simulatorSessions as sessions } from "@/db/schema/simulator";
import { provideEnv } from "@/lib/env";
import { cancel } from "@/lib/flows/link-change/steps";
import { callbacks } from "@/lib/domain/integrations/manage";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { returnFrom } from "@/lib/flows/checkout/return";
import { pressButton } from "@/lib/gateways/simulator/page";
import { api } from "../contract/setting";
import { press, referenceOf } from "../money/setting-verbs";
import { answer, newReceiver, type Receiver } from "../webhooks/receiver";
import {
  accept,
  connect,
  createLink,
  deliver,
  type Link,
  makeDue,
  ok,
  payer,
  type Plugin,
  setWebhook,
  v1,
} from "./setting";

provideEnv({ RATE_LIMIT_SIGN_IN: "0", WEBHOOK_ALLOW_PRIVATE: "1" });
afterAll(closePool);

let shop: Receiver;
beforeEach(async () => {
  shop = await newReceiver(answer(200, "Swipe IPN webhook success"));
});
afterEach(() => shop.close());

/** The bytes of the plugin for WooCommerce, with the address of its order. */
const woocommerce = (order: number, amount = '"1,234.50"') =>
  `{"email":"siti@example.com","currency":"MYR","amount":${amount},"title":"Kedai Demo","phone_no":"60123456789","description":"Payment for Order #${order}","redirect_url":"http:\\/\\/127.0.0.1:31210\\/checkout\\/order-received\\/${order}\\/?key=wc_order_${order}","reference":${order},"reference_2":"woocommerce","send_email":true}`;

const callbacksOf = async ({ ctx, id }: Plugin) =>
  (await callbacks(ctx, id, {}, new URLSearchParams())).data;

/** Declines once, then pays; returns where the browser ends and what the shop received. */
async function declineThenPay(plugin: Plugin, link: Link) {
  await payer(plugin, link._id, "decline");
  await deliver(plugin);
  expect(shop.received).toHaveLength(0);
  const back = await payer(plugin, link._id, "approve");
  await deliver(plugin);
  expect(shop.received).toHaveLength(1);
  const data = accept(shop.received[0]?.body ?? "", plugin.signatureKey);
  expect(data.payment_link_id).toBe(link._id);
  expect((await callbacksOf(plugin)).map(({ status }) => status)).toEqual(["delivered"]);
  return { address: back, back: new URL(back).searchParams, data };
}

describe.each(["woocommerce", "payje-woocommerce"] as const)("%s", (kind) => {
  test("creates, is declined, is paid, gets one callback and the payer back", async () => {
    const plugin = await connect(kind);
    const name = kind === "woocommerce" ? "Swipe" : "Payje";
    shop.behave(answer(200, `${name} IPN webhook success`));
    await setWebhook(plugin, `${shop.url}?wc-api=swipego_wc_gateway`);
    const link = await createLink(plugin, woocommerce(102));
    expect(link).toMatchObject({
      amount: 1234.5,
      status: "Active",
      paid: false,
      business_id: plugin.ctx.businessId,
      reference: "102",
      redirect_url: "http://127.0.0.1:31210/checkout/order-received/102/?key=wc_order_102",
      payment_url: expect.stringMatching(
        /^http:\/\/localhost:3000\/pay\?id=[0-9a-f]{24}&test=true$/,
      ),
    });
    const { address, back, data } = await declineThenPay(plugin, link);
    expect(data).toMatchObject({
      payment_amount: "1234.50",
      charge_amount: "1234.50",
      payment_status: "1",
      payment_link_reference: "102",
      payment_link_reference_2: "woocommerce",
      payment_message: "Paid",
      payment_currency: "MYR",
      payment_provider: "simulator",
    });
    expect(address).toMatch(/order-received\/102\/\?key=wc_order_102&payment_link_id=/);
    expect(back.get("payment_amount")).toBe("1234.50");
    // It writes this id into its script without quotes.
    expect(back.has("payment_id")).toBe(false);
    expect(back.get("attempt_id")).toBe(data.payment_id);
  });

  test("pays again with the same link, and makes a new one once that is cancelled", async () => {
    const plugin = await connect(kind);
    const link = await createLink(plugin, woocommerce(7, '"1,234.00"'));
    const read = () => v1("GET", `/payment-links/${link._id}`, { key: plugin.apiKey });
    expect(ok<Link>(await read()).amount).toBe(1234);
    await cancel(plugin.ctx, link._id);
    const gone = await read();
    expect([gone.status, gone.body]).toEqual([
      404,
      { message: "Not found.", errors: { payment_link: ["Not found."] } },
    ]);
    expect((await createLink(plugin, woocommerce(7, '"1,234.00"')))._id).not.toBe(link._id);
  });
});

describe.each(["gravity-forms", "payje-gravity-forms"] as const)("%s", (kind) => {
  // A normalised address would have %27 for the quote.
  const back = "https://shop.example/form/?gf_swipego_return=aWRzPTF8MXwmaGFzaD0wZTU=&from=o'neil";
  const entry = (id: number, amount: string) =>
    `{"email":"siti@example.com","currency":"MYR","amount":${amount},"title":"A shop with quite a long name indeed - The form for donations","redirect_url":"${back}","reference":${id},"reference_2":"gravity-forms","send_email":true}`;

  test.each([
    ["49.9", 49.9, "49.90"],
    ["1234", 1234, "1234.00"],
    ["600", 600, "600.00"],
  ])("books an entry of %s", async (sent, major, booked) => {
    const plugin = await connect(kind);
    await setWebhook(plugin, shop.url);
    shop.behave(answer(200, "Callback processed successfully."));
    const link = await createLink(plugin, entry(31, sent));
    expect(link.amount).toBe(major);
    expect(link.title).toBe("A shop with quite a long name indeed - The form fo");
    expect(link.redirect_url).toBe(back);
    const { data, address, back: query } = await declineThenPay(plugin, link);
    expect(data.payment_amount).toBe(booked);
    expect(address.startsWith(`${back}&`)).toBe(true);
    expect(query.get("payment_id")).toBe(data.payment_id);
  });

  test("is not called again once it has processed a callback, since each call mails the buyer", async () => {
    const plugin = await connect(kind);
    await setWebhook(plugin, shop.url);
    shop.behave(answer(500, "This webhook has already been processed (#31)"));
    const link = await createLink(plugin, entry(31, "49.9"));
    await payer(plugin, link._id, "approve");
    await deliver(plugin);
    await makeDue(plugin);
    await deliver(plugin);
    expect(shop.received).toHaveLength(1);
  });
});

describe("givewp", () => {
  const donation = (amount: string) =>
    `{"email":"siti@example.com","currency":"MYR","amount":"${amount}","title":"Kedai Demo","redirect_url":"https://shop.example/?give-listener=swipego&payment_id=9&passphrase=x","reference":9,"reference_2":"givewp","send_email":true}`;

  test.each([
    ["50.00", "50.00"],
    ["1000", "1000.00"],
    ["12.345", "12.35"],
  ])("publishes a donation of %s", async (sent, booked) => {
    const plugin = await connect("givewp");
    shop.behave(answer(200, "<!doctype html><title>Kedai Demo</title>"));
    // Its first "Set webhook" makes one; later ones change the first hook to its own address.
    const id = await setWebhook(plugin, "https://elsewhere.example/hook");
    const changed = await v1("PATCH", `${plugin.hooks}/${id}`, {
      key: plugin.token,
      json: JSON.stringify({ url: shop.url, enabled: true }),
    });
    expect(ok(changed)).toEqual({
      _id: id,
      name: "payment.created",
      url: shop.url,
      enabled: true,
    });
    const { data, back } = await declineThenPay(plugin, await createLink(plugin, donation(sent)));
    expect(data.payment_amount).toBe(booked);
    // Its own parameter of that name is kept.
    expect(back.getAll("payment_id")).toEqual(["9"]);
  });
});

describe("opencart", () => {
  const order = (amount: string, currency = "MYR") =>
    `{"email":"siti@example.com","currency":"${currency}","amount":${amount},"title":"Kedai Demo","redirect_url":"https://shop.example/index.php?route=extension/payment/swipe/return","reference":78,"reference_2":"opencart","send_email":true}`;

  test.each([
    ["49.90", "MYR", "49.90"],
    ["1234", "MYR", "1234.00"],
    ["45.844421100000005", "USD", "45.84"],
    ["443.625633", "MYR", "443.63"],
    ["10.333", "USD", "10.33"],
  ])("completes an order of %s %s by its return address alone", async (sent, currency, booked) => {
    const plugin = await connect("opencart");
    const link = await createLink(plugin, order(sent, currency));
    // It creates when the step is shown, and again on "Confirm".
    expect((await createLink(plugin, order(sent, currency)))._id).toBe(link._id);
    await payer(plugin, link._id, "decline");
    const back = new URL(await payer(plugin, link._id, "approve")).searchParams;
    expect(await deliver(plugin)).toBe(0);
    for (const name of [
      ...["attempt_id", "payment_time", "payment_link_id", "payment_link_reference"],
      ...["payment_link_reference_2", "payment_message", "payment_id", "hash"],
    ])
      expect(back.get(name), name).toBeTruthy();
    expect(back.get("payment_amount")).toBe(booked);
    expect(back.get("payment_currency")).toBe(currency);
    expect(back.get("payment_status")).toBe("1");
  });

  test("gets the same link while its payment is under way, and once that has brought no money", async () => {
    const plugin = await connect("opencart");
    const create = () => createLink(plugin, order("49.90"));
    const { _id } = await create();
    const session = await press(plugin.ctx, _id);
    await pressButton(session ?? "", "approve_later", "1");
    const settle = async () =>
      returnFrom(
        plugin.ctx,
        (await findPayment(plugin.ctx, await referenceOf(session ?? ""))) as PaymentRow,
      );
    await settle();
    expect(await create()).toMatchObject({ _id, status: "Processing" });
    await db
      .update(sessions)
      .set({ state: "cancelled", settlesAt: null })
      .where(eq(sessions.page, session ?? ""));
    await settle();
    expect(await create()).toMatchObject({ _id, status: "Active" });
    const { rows } = await pool().query<{ mail: string | null }>(
      "select mail from events where business_id = $1 and type = 'payment_link.created'",
      [plugin.ctx.businessId],
    );
    expect(rows).toEqual([{ mail: "payment_link" }]);
  });

  test("asks for a link by its order number and gets a 404 that it can read", async () => {
    const plugin = await connect("opencart");
    const answered = await v1("GET", "/payment-links/42", { key: plugin.token });
    expect(answered.status).toBe(404);
    expect(answered.body.errors).toEqual({ payment_link: ["Not found."] });
  });
});

test("thirty-two creates of one order at once make one link, and one mail", async () => {
  const plugin = await connect("opencart");
  const links = await Promise.all(
    Array.from({ length: 32 }, () => createLink(plugin, woocommerce(5))),
  );
  expect(new Set(links.map(({ _id }) => _id)).size).toBe(1);
  const { rows } = await pool().query<{ mail: string | null }>(
    "select mail from events where business_id = $1",
    [plugin.ctx.businessId],
  );
  expect(rows).toEqual([{ mail: "payment_link" }]);
  const other = await createLink(plugin, woocommerce(5, '"1,234.51"'));
  expect(other._id).not.toBe(links[0]?._id);
});

test("two orders without a reference are two links", async () => {
  const plugin = await connect("other");
  const json = '{"email":"siti@example.com","currency":"MYR","amount":"50.00","title":"A"}';
  expect((await createLink(plugin, json))._id).not.toBe((await createLink(plugin, json))._id);
});

test("swipe-php charges what its code means at each address that the documentation names for it", async () => {
  const text = readFileSync("docs/coming-from-swipe.md", "utf8");
  const rows = text.matchAll(/^\| swipe-php,.*`'(\d+)'` is RM 600 .*`\/api(\S*)` \|$/gm);
  const named = [...rows].map(([, amount, below]) => ({ amount, below }));
  expect(named.map(({ below }) => below)).toEqual(["/v1", ""]);
  expect(text.match(/^\| swipe-php/gm)).toHaveLength(2);
  const { tenant, apiKey } = await connect("other");
  for (const { amount, below } of named) {
    const raw = `{"amount":"${amount}","currency":"MYR","email":"team@swipego.io","title":"create payment link"}`;
    const key = below === "" ? tenant.keys.test : apiKey;
    const { _id } = ok<Link>(await api("POST", `${below}/payment-links`, { key, raw }));
    const made = await api("GET", `/payment-links/${_id}`, { key: tenant.keys.test });
    expect(ok<Link>(made).amount).toBe(60_000);
  }
});
