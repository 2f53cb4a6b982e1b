import { sql } from "drizzle-orm";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { renderDocument } from "@/components/payer/document";
import { closePool, db } from "@/db/client";
import { lastRestore } from "@/db/settings";
import { create } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/payments/get";
import { resolve } from "@/lib/domain/payments/resolve";
import { settle } from "@/lib/domain/payments/settle";
import type { Ctx } from "@/lib/domain/context";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { revoke } from "@/lib/flows/connecting/steps";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { script } from "@/lib/gateways/simulator/scripting";
import { Problem } from "@/lib/kernel/problem";
import { payerRoute } from "@/lib/payer/guard";
import { beforeNext } from "@/tests/money/before-next";
import { choose, newShop, paymentsOf as paymentsAtSimulator } from "@/tests/money/setting";
import { newStripeShop, paymentsOf } from "@/tests/money/stripe-setting";
import { behave, passDays, saveMethod, subscribe, work } from "@/tests/money/subscription-setting";
import { runningPeer } from "@/tests/stripe-peer/running";
import { GET, POST } from "./route";

vi.mock(import("@/db/settings"), { spy: true });

const peer = runningPeer();
afterAll(closePool);

const refusal =
  "Your account acct_1ABC cannot currently make charges. Visit https://dashboard.stripe.com/account (req_123).";
const neutral =
  "The payment did not go through. The payment provider could not accept it. Nothing was taken; please try again later.";

const newLink = (ctx: Ctx) =>
  create(ctx, {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Invoice 1042",
    send_email: false,
  });
const press = (id: string, more: Record<string, string> = {}) =>
  POST(
    new Request("http://localhost:3000/pay", {
      method: "POST",
      body: new URLSearchParams({ id, version: "1", ...more }),
    }),
    {},
  );
const see = async (id: string, attempt: string) =>
  (await GET(new Request(`http://localhost:3000/pay?id=${id}&attempt=${attempt}`), {})).text();
const headersOf = {
  "another site's page": { "sec-fetch-site": "cross-site" },
  "no form": { "content-type": "application/json" },
  "a form that is too large": {},
} as const;
/** Presses the button of the page as a browser would, with other headers or a longer body. */
async function pressOn(page: string, what: keyof typeof headersOf): Promise<Response> {
  const action = (/<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const body = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
  if (what === "a form that is too large") body.set("more", "x".repeat(5_000));
  const address = new URL(action, "http://localhost:3000");
  return POST(new Request(address, { method: "POST", headers: headersOf[what], body }), {});
}
/** What the notice above the amount says. */
const noticeIn = (html: string) =>
  /<div class="notice[^>]*>(.*?)<\/div>/.exec(html)?.[1]?.replace(/<\/?strong>/g, "");

describe("what the payer reads of a payment that did not go through", () => {
  test("when the gateway refuses to open its page: one neutral sentence; what the gateway said is kept for staff", async () => {
    const shop = await newStripeShop(peer);
    const { _id } = await newLink(shop.ctx);
    peer.trouble = {
      status: 400,
      body: JSON.stringify({ error: { type: "invalid_request_error", message: refusal } }),
    };
    const html = await (await press(_id)).text();
    peer.trouble = null;
    const payment = (await paymentsOf(shop))[0];
    expect(await get(shop.ctx, payment?.id ?? "")).toMatchObject({
      status: "failed",
      message: refusal,
    });
    for (const page of [html, await see(_id, payment?.id ?? "")]) {
      expect(noticeIn(page)).toBe(neutral);
      expect(/acct_|stripe\.com|req_/.exec(page)).toBeNull();
    }
    expect((await press(_id)).status).toBe(303);
  });

  test("when the attempt at the gateway was declined: the reason of the decline", async () => {
    const shop = await newShop();
    const { _id } = await newLink(shop.ctx);
    const page = (await press(_id)).headers.get("location") ?? "";
    await choose(shop, page.split("/").at(-1) ?? "", "decline");
    const payment = (await paymentsAtSimulator(shop))[0];
    expect(payment).toMatchObject({ status: "failed", message: expect.stringMatching(/\S/) });
    expect(noticeIn(await see(_id, payment?.id ?? ""))).toBe(
      `The payment did not go through. ${payment?.message} Nothing was taken; you can try again.`,
    );
  });
});

describe("what the payer reads when a different amount arrived than the business asked for", () => {
  test.each(["was resolved by staff", "came after the attempt had ended"])(
    "and the mismatch %s: to ask the business, never that nothing was taken",
    async (which) => {
      const shop = await newShop();
      const { _id } = await newLink(shop.ctx);
      await press(_id);
      const [payment] = await paymentsAtSimulator(shop);
      const [id, gatewayId] = [payment?.id ?? "", payment?.gatewayId ?? ""];
      const isResolved = which === "was resolved by staff";
      if (!isResolved) await settle(shop.ctx, id, { kind: "cancelled", gatewayId });
      const taken = { amount: 1_249, currency: "MYR", fee: null };
      await settle(shop.ctx, id, { kind: "succeeded", gatewayId, ...taken });
      if (isResolved) await resolve(shop.ctx, id, {});
      expect(noticeIn(await see(_id, id))).toBe(
        "A different amount arrived than the business asked for. Ask the business before you pay again.",
      );
    },
  );
});

test("what the payer reads after staff ended an attempt without the gateway's word: that it was never confirmed", async () => {
  const shop = await newShop();
  const { _id } = await newLink(shop.ctx);
  await press(_id);
  const [payment] = await paymentsAtSimulator(shop);
  const id = payment?.id ?? "";
  await settle(shop.ctx, id, { kind: "unknown", reason: "No word." });
  await db.execute(
    sql`update payments set started_at = now() - interval '25 hours', unknown_since = now() - interval '25 hours' where id = ${id}`,
  );
  await resolve(shop.ctx, id, {});
  expect(noticeIn(await see(_id, id))).toBe(
    "Your last payment was never confirmed. If money was taken, ask the business before you pay again.",
  );
});

/** Where the link with these words leads. */
const addressOf = (html: string, words: string) =>
  new RegExp(`<a[^>]* href="([^"]*)"[^>]*>${words}</a>`)
    .exec(html)?.[1]
    ?.replaceAll("&amp;", "&") ?? "";
const open = async (address: string) => (await GET(new Request(address), {})).text();

describe("a page that says that a payment is being processed", () => {
  test("says how it ended: a payer who looks again, or has it looked for, reads why it was declined", async () => {
    const shop = await newShop();
    const { _id, payment_url: address } = await newLink(shop.ctx);
    await press(_id);
    const [payment] = await paymentsAtSimulator(shop);
    const [id, gatewayId] = [payment?.id ?? "", payment?.gatewayId ?? ""];
    await settle(shop.ctx, id, { kind: "pending", gatewayId });
    const html = await open(address);
    expect(html).toContain("this page will say how it ended");
    const watched = addressOf(html, "Keep checking for me");
    const again = [addressOf(html, "Check again"), watched];
    again.push(addressOf(await open(watched), "Stop checking"));
    const reason = "The bank declined it.";
    await settle(shop.ctx, id, { kind: "failed", gatewayId, decline: "soft", reason });
    for (const one of again)
      expect(noticeIn(await open(one))).toBe(
        `The payment did not go through. ${reason} Nothing was taken; you can try again.`,
      );
  });

  test("comes also while a saved method is being charged for the link, and to a payer who presses", async () => {
    const shop = await newShop();
    await behave(shop, await saveMethod(shop), "declines", 2);
    const { _id } = await subscribe(shop);
    await work(shop);
    const [link] = (await getSubscription(shop.ctx, _id)).payment_links;
    const address = link?.payment_url ?? "";
    expect(await open(address)).toContain("<button");
    await passDays(shop, 2);
    const charge = vi.spyOn(simulatorGateway, "charge");
    onTestFinished(() => charge.mockRestore());
    const pages: string[] = [];
    beforeNext(simulatorGateway.charge, async () => {
      pages.push(await open(address), await (await press(link?._id ?? "")).text());
    });
    await work(shop);
    expect(pages.map((html) => html.includes("Your payment is being processed"))).toEqual([
      true,
      true,
    ]);
    const after = await open(addressOf(pages[1] ?? "", "Check again"));
    expect(noticeIn(after)).toContain("The payment did not go through.");
  });
});

describe("a business without a payment provider", () => {
  test("takes no payment: its page has no button and says so, also after a press of an older page", async () => {
    const shop = await newStripeShop(peer, "live");
    const { _id, payment_url: address } = await newLink(shop.ctx);
    await revoke(shop.ctx, shop.connectionId);
    const lead = "This business takes no payments here at the moment.";
    const pages = [
      [await GET(new Request(address), {}), `${lead} Please ask them how to pay.`],
      [await press(_id), `${lead} Nothing was taken; please ask them how to pay.`],
      [
        await press(_id, { method: "card" }),
        `${lead} Nothing was taken; please ask them how to pay.`,
      ],
    ] as const;
    for (const [response, text] of pages) {
      const html = await response.text();
      expect([response.status, noticeIn(html), html.includes("<button")]).toEqual([
        200,
        text,
        false,
      ]);
    }
    expect(await paymentsOf(shop)).toEqual([]);
  });
});

test("a choice that is gone, where nothing is left to choose: no advice to choose another way", async () => {
  const shop = await newShop();
  const { _id } = await newLink(shop.ctx);
  const html = await (await press(_id, { method: "fpx" })).text();
  expect(noticeIn(html)).toBe(
    "This payment method isn’t available right now. Nothing was taken. Please pay on the payment provider’s own page instead.",
  );
  expect((await press(_id)).status).toBe(303);
});

test.each([{}, { method: "card" }] as Record<string, string>[])(
  "a payment provider that is silent is called so, with the form %j",
  async (choice) => {
    const shop = await newShop();
    const { _id } = await newLink(shop.ctx);
    await script(shop.account.connection.id, "begin", "error");
    const answer = await press(_id, choice);
    expect([answer.status, noticeIn(await answer.text())]).toEqual([
      200,
      "The payment provider isn’t responding right now. Nothing was taken. Please try again in a few minutes.",
    ]);
  },
);

test("a press without an answer leads to the page that another press has opened meanwhile", async () => {
  const shop = await newShop();
  const { _id } = await newLink(shop.ctx);
  const open = simulatorGateway.beginPayment;
  let opened: Response | undefined;
  vi.spyOn(simulatorGateway, "beginPayment").mockImplementationOnce(async () => {
    vi.mocked(simulatorGateway.beginPayment).mockImplementation(open);
    opened = await press(_id);
    return { kind: "unknown", reason: "No answer in time." };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const answer = await press(_id);
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    opened?.headers.get("location"),
  ]);
});

test.each([{}, { method: "card" }] as Record<string, string>[])(
  "after a backup was restored a payer who may have paid does not read that nothing was taken, with the form %j",
  async (choice) => {
    const shop = await newShop();
    const { _id } = await newLink(shop.ctx);
    await script(shop.account.connection.id, "begin", "error");
    await press(_id, choice);
    vi.mocked(lastRestore).mockResolvedValue(new Date(Date.now() + 86_400_000).toISOString());
    onTestFinished(() => void vi.mocked(lastRestore).mockReset());
    expect(noticeIn(await (await press(_id, choice)).text())).toBe(
      "An earlier payment is still being checked. If you have just paid, don’t pay again. Otherwise please try again in a few minutes.",
    );
  },
);

test("that our records cannot be reached is said of our own failures alone", async () => {
  const statusOf = async (status: number, code: "conflict" | "unavailable" | "internal_error") => {
    const route = payerRoute(renderDocument, () =>
      Promise.reject(new Problem(status, code, "For programs.")),
    );
    const response = await route(new Request("http://localhost:3000/pay?id=1"), {});
    return [
      response.status,
      (await response.text()).includes("This page isn’t available right now"),
    ];
  };
  expect(await statusOf(409, "conflict")).toEqual([409, false]);
  expect(await statusOf(500, "internal_error")).toEqual([500, true]);
  expect(await statusOf(503, "unavailable")).toEqual([503, true]);
});

describe("a press that is refused says why, and leads back to the link's page:", () => {
  test.each([
    ["another site's page", 403, "It came from another website"],
    ["no form", 415, "Your browser sent a form that doesn’t match"],
    ["a form that is too large", 413, "Your browser sent a form that doesn’t match"],
  ] as const)("%s", async (what, status, text) => {
    const shop = await newShop();
    const { _id, payment_url: address } = await newLink(shop.ctx);
    const page = await (await GET(new Request(address), {})).text();
    const refused = await pressOn(page, what);
    const html = await refused.text();
    expect([refused.status, html.includes(text)]).toEqual([status, true]);
    expect(html).not.toContain("This page isn’t available right now");
    const back = /<a class="button quiet" href="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    expect(new URL(back ?? "", address).href).toBe(address);
    expect(await paymentsAtSimulator(shop)).toEqual([]);
    expect((await press(_id)).status).toBe(303);
  });
});
