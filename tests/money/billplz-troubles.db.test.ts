import { sql } from "drizzle-orm";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { findLink } from "@/lib/domain/payment-links/rows";
import { waysToPay } from "@/lib/flows/checkout/offers";
import { begin } from "@/lib/flows/checkout/steps";
import { runningBillplz } from "../billplz-peer/running";
import { callbackFields, signedForm } from "../billplz-peer/signing";
import { atBillplz, callBack, comeBack, newBillLink, newBillplzShop } from "./billplz-setting";

const peer = runningBillplz();

afterEach(() => {
  peer.trouble = null;
  vi.restoreAllMocks();
  vi.useRealTimers();
});
afterAll(closePool);

/** Old enough that an attempt which is proven to be absent ends. */
const age = (id: string) =>
  db.execute(
    sql`update payments set started_at = (select started_at - interval '16 minutes') where id = ${id}`,
  );
const tooMany = '{"error":{"type":"RateLimit","message":["Too many requests"]}}';

test.each([
  ["HTML", 200, "<html>maintenance</html>"],
  ["an error of its own", 500, "oops"],
  ["an empty object", 200, "{}"],
  ["a key that is refused", 401, "{}"],
  ["too many reads", 429, tooMany],
  ["a 404 of a proxy", 404, "<html>not found</html>"],
  ["a 404 of a proxy in JSON", 404, '{"message":"no route matched"}'],
  [
    "a bill that it does not know",
    404,
    '{"error":{"type":"RecordNotFound","message":["Record not found"]}}',
  ],
])("%s is unknown, never an outcome", async (_name, status, body) => {
  const shop = await newBillplzShop(peer);
  const { payment, bill } = await atBillplz(shop);
  shop.account.press(bill, "approve");
  await age(payment.id);
  peer.trouble = { status, body };
  expect(await comeBack(shop, payment.id)).toMatchObject({ status: "unknown", succeededAt: null });
  peer.trouble = null;
  expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
});

test("a 404 of a proxy refuses no page: the payer may try again", async () => {
  const shop = await newBillplzShop(peer);
  peer.trouble = { status: 404, body: "<html>not found</html>" };
  await expect(atBillplz(shop)).rejects.toThrow("no_answer");
});

test("too many reads pause reads alone: the next payer is still sent to a page", async () => {
  const shop = await newBillplzShop(peer);
  const { payment, bill } = await atBillplz(shop);
  shop.account.press(bill, "approve");
  peer.trouble = { status: 429, body: tooMany, headers: { "ratelimit-reset": "299" } };
  expect(await comeBack(shop, payment.id)).toMatchObject({ succeededAt: null });
  peer.trouble = null;
  expect(await atBillplz(shop)).toMatchObject({ url: expect.stringContaining("/bills/") });
  peer.calls.length = 0;
  expect(await comeBack(shop, payment.id)).toMatchObject({ succeededAt: null });
  expect(peer.calls).toEqual([]);
});

test("reads that are refused at one business after another pause those of all, and bills are still made", async () => {
  const shops = [];
  for (let made = 0; made < 6; made++) shops.push(await newBillplzShop(peer));
  const pages = [];
  for (const shop of shops) pages.push({ shop, ...(await atBillplz(shop)) });
  const [last, ...limited] = pages;
  if (!last) throw new Error("there are no businesses");
  peer.trouble = { status: 429, body: tooMany };
  for (const { shop, payment } of limited) await comeBack(shop, payment.id);
  peer.trouble = null;
  peer.calls.length = 0;
  last.shop.account.press(last.bill, "approve");
  expect(await comeBack(last.shop, last.payment.id)).toMatchObject({ succeededAt: null });
  expect(peer.calls).toEqual([]);
  const { ctx } = last.shop;
  expect(await begin(ctx, await newBillLink(ctx), 1)).toMatchObject({ kind: "redirect" });
  const monotonic = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 600_000);
  expect(await comeBack(last.shop, last.payment.id)).toMatchObject({ status: "succeeded" });
});

test("an error pauses nothing for as long as the window of reads, which every answer names", async () => {
  const shop = await newBillplzShop(peer);
  const { payment, bill } = await atBillplz(shop);
  shop.account.press(bill, "approve");
  peer.trouble = { status: 502, body: "", headers: { "ratelimit-reset": "299" } };
  expect(await comeBack(shop, payment.id)).toMatchObject({ succeededAt: null });
  peer.trouble = null;
  expect(await atBillplz(shop)).toMatchObject({ url: expect.stringContaining("/bills/") });
  expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
});

test("an error that asks to wait pauses every call for that long", async () => {
  const shop = await newBillplzShop(peer);
  const { payment } = await atBillplz(shop);
  peer.trouble = { status: 503, body: "", headers: { "retry-after": "30" } };
  await comeBack(shop, payment.id);
  peer.trouble = null;
  peer.calls.length = 0;
  await expect(atBillplz(shop)).rejects.toThrow("no_answer");
  expect(peer.calls).toEqual([]);
});

test("a payer who comes back again and again causes a few reads: the next payer's return is read at once", async () => {
  const shop = await newBillplzShop(peer);
  const [busy, next] = [await atBillplz(shop), await atBillplz(shop)];
  peer.calls.length = 0;
  await comeBack(shop, busy.payment.id);
  const once = peer.calls.length;
  expect(once).toBeGreaterThan(0);
  for (let back = 1; back < 60; back++) await comeBack(shop, busy.payment.id);
  // Ten in five minutes, and these may end meanwhile.
  expect(peer.calls.length).toBeLessThanOrEqual(20 * once);
  shop.account.press(next.bill, "approve");
  expect(await comeBack(shop, next.payment.id)).toMatchObject({ status: "succeeded" });
});

test("a payer who changes how to pay again and again causes a few reads, and is led to the page that is open", async () => {
  const shop = await newBillplzShop(peer);
  const [busy, next] = [await atBillplz(shop), await atBillplz(shop)];
  const press = (time: number) =>
    begin(shop.ctx, busy.linkId, 1, { method: time % 2 === 0 ? "ewallet" : "fpx", option: null });
  let { url } = busy;
  peer.calls.length = 0;
  for (let time = 0; time < 50; time++) {
    const begun = await press(time);
    if (begun.kind === "redirect") url = begun.url;
    else expect(begun).toEqual({ kind: "still_open", url });
  }
  // Ten in five minutes, and these may end meanwhile. Each takes four reads at most.
  const reads = peer.calls.filter((call) => call.startsWith("GET /v3/bills/"));
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThanOrEqual(2 * 10 * 4);
  expect(shop.account.bills.filter(({ state }) => state === "due")).toHaveLength(2);
  shop.account.press(next.bill, "approve");
  expect(await comeBack(shop, next.payment.id)).toMatchObject({ status: "succeeded" });
});

test("a payer who chooses many ways at once causes a few reads: the pages that no payer saw are closed within the same limit", async () => {
  const shop = await newBillplzShop(peer);
  const linkId = await newBillLink(shop.ctx);
  await waysToPay(shop.ctx, { amount: 1_250, currency: "MYR" });
  peer.calls.length = 0;
  const choices = Array.from({ length: 40 }, (_, time) => (time % 2 === 0 ? "fpx" : "ewallet"));
  await Promise.all(choices.map((method) => begin(shop.ctx, linkId, 1, { method, option: null })));
  const reads = peer.calls.filter((call) => call.startsWith("GET /v3/bills/"));
  expect(reads.length).toBeLessThanOrEqual(2 * 10 * 4);
});

test("the second failed try on a bill is reported by the same bytes, and lets the payer try again", async () => {
  const shop = await newBillplzShop(peer);
  const { linkId, payment, bill } = await atBillplz(shop);
  const { account } = shop;
  const status = async () => (await findLink(shop.ctx, linkId))?.status;
  const report = () =>
    callBack(shop, signedForm(callbackFields(account.bill(bill)), account.xSignatureKey));
  const worked = async () => {
    const { rows } = await db.execute(
      sql`select state from gateway_events where connection_id = ${shop.connectionId} order by created_at`,
    );
    return rows.map(({ state }) => state);
  };
  account.press(bill, "decline");
  const arrival = Math.ceil(Date.now() / 15_000) * 15_000;
  vi.useFakeTimers({ now: arrival, toFake: ["Date"] });
  expect([await report(), await report()]).toEqual([200, 200]);
  await expect.poll(worked, { timeout: 15_000 }).toEqual(["done"]);
  const atBank = account.startAtBank(bill);
  await comeBack(shop, payment.id);
  expect(await status()).toBe("Processing");
  account.finish(account.bill(bill), atBank, false);
  vi.setSystemTime(arrival + 15_000);
  expect(await report()).toBe(200);
  vi.useRealTimers();
  await expect.poll(worked, { timeout: 15_000 }).toEqual(["done", "done"]);
  expect(await status()).toBe("Active");
});
