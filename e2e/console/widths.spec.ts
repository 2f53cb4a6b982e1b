import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { db, withTransaction } from "@/db/client";
import type { Payment } from "@/lib/contract/payments";
import { unscopedStoreCallback } from "@/lib/domain/callbacks/rows";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { queueCallbacks } from "@/lib/domain/integrations/callback-rows";
import { insertHook } from "@/lib/domain/integrations/hook-rows";
import { create as connectPlugin } from "@/lib/domain/integrations/manage";
import { addMember, createUser } from "@/lib/domain/users/create";
import { newId, newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { newLink, newTokenization, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { newPackage, newSubscription } from "./records";

const title = "W".repeat(50);
const email = `${"long".repeat(14)}@example.com`;
const url = `https://hooks.example/${"long".repeat(20)}`;

/** A row in every list, as long as it can be. Returns the ids that addresses need. */
async function fill(shop: Shop) {
  const link = await newLink(shop, { title, email, reference: "R".repeat(40), send_email: true });
  await pay(link);
  const { _id: package_id } = await newPackage(shop, { name: "W".repeat(60) });
  await newSubscription(shop, { email, package_id });
  await shop.api.ok("POST", "/customers", { email: `other${email}`, name: "W".repeat(60) });
  await newTokenization(shop, { email, title });
  await shop.api.ok("POST", "/batches", { action: "cancel", ids: [link._id] });
  const endpoint = await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", {
    url,
    description: title,
  });
  await shop.api.ok("POST", `/webhook-endpoints/${endpoint._id}/test`);
  const colleague = await createUser({
    email: `${newId()}${email}`,
    password: `browser-test-${newId()}`,
    name: "W".repeat(60),
    emailVerified: false,
  });
  await addMember(shop.id, colleague.id, "viewer", db);
  const plugin = await connectPlugin(shop.ctx, { name: "W".repeat(60), plugin: "woocommerce" });
  const payments = await shop.api.ok<{ data: Payment[] }>("GET", "/payments");
  await withTransaction(async (tx) => {
    await insertHook(shop.ctx, tx, { integrationId: plugin._id, url, enabled: true });
    await queueCallbacks(shop.ctx, tx, {
      integrationId: plugin._id,
      paymentLinkId: link._id,
      paymentId: payments.data[0]?._id ?? "",
    });
  });
  return { endpoint: endpoint._id, plugin: plugin._id };
}

/** A gateway, and a callback of it that was set aside. From then on it takes this shop's payments. */
async function connectGateway({ id: businessId }: Shop): Promise<void> {
  const connectionId = randomBytes(16).toString("hex");
  await insertConnection(db, {
    ...{ businessId, mode: "test", id: connectionId, gateway: "stripe" },
    accountName: title,
    secret: seal(newToken(), "gateway"),
  });
  const reference = newId();
  await unscopedStoreCallback({
    ...{ businessId, connectionId, reference, eventId: `evt_${reference}`, about: "payment" },
    ...{ type: "payment_intent.succeeded", state: "quarantined", disputeChange: null },
    ...{ gatewayId: `pi_${reference}`, amount: 123_456_789, currency: "MYR" },
    problem: `No payment of this business has the reference ${reference}${"long".repeat(20)}.`,
  });
}

/** What a person by the browser does: an invitation, and so entries in the audit log. */
async function invite(page: Page, { id }: Shop): Promise<void> {
  const answer = await page.request.post("/api/team/invitations", {
    headers: {
      "x-kutip-business": String(id),
      "x-kutip-mode": "test",
      origin: new URL(page.url()).origin,
    },
    data: { email: `new${email}`, role: "owner" },
  });
  expect(answer.status()).toBe(200);
}

/** What of this page is wider than its place, and what of the first row of each list is out of reach. */
const cutOff = (page: Page) =>
  page.evaluate(() => {
    const wide = [
      document.documentElement,
      ...document.querySelectorAll("main, main :has(> table)"),
    ]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ tagName, scrollWidth, clientWidth }) => `${tagName} ${scrollWidth}>${clientWidth}`);
    const isShown = (one: Element) => one.checkVisibility({ visibilityProperty: true });
    /** Whether both ends of a box are seen, and are of this element. */
    const isSeen = (one: Element, { left, right, top, bottom }: DOMRect) =>
      [left + 2, right - 2].every((x) => {
        const seen = document.elementFromPoint(x, (top + bottom) / 2);
        return seen !== null && (one.contains(seen) || seen.contains(one));
      });
    const lists = [...document.querySelectorAll("main table, main ul[aria-label]")].filter(isShown);
    const hidden = lists.flatMap((list) => {
      const row = list.querySelector("tbody tr, li");
      row?.scrollIntoView({ block: "center", behavior: "instant" });
      const found: string[] = [];
      for (const button of row?.querySelectorAll("button") ?? [])
        if (isShown(button) && !isSeen(button, button.getBoundingClientRect()))
          found.push(`button ${button.ariaLabel ?? button.textContent}`);
      const texts = row && document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      while (texts?.nextNode()) {
        const text = texts.currentNode;
        const within = text.parentElement;
        if (
          !within ||
          !isShown(within) ||
          !/^(?:[−-]?[A-Z]{3}.)?[−-]?[\d,]+\.\d\d$/.test(text.textContent ?? "")
        )
          continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        if (!isSeen(within, range.getBoundingClientRect()))
          found.push(`amount ${text.textContent}`);
      }
      return found;
    });
    return [...wide, ...hidden];
  });

test("no list is cut off at any width", async ({ page, shop, at }) => {
  test.setTimeout(360_000);
  const { endpoint, plugin } = await fill(shop);
  await page.goto(at());
  await invite(page, shop);
  await connectGateway(shop);
  const month = new Date().toISOString().slice(0, 7);
  for (const [address, lists] of [
    ["/payment-links", ["Payment links"]],
    ["/payment-links/batches", ["Changes of many payment links"]],
    ["/payments", ["Payments"]],
    ["/packages", ["Packages"]],
    ["/subscriptions", ["Subscriptions"]],
    ["/customers", ["Customers"]],
    ["/tokens", ["Tokens"]],
    ["/mails", ["Mails"]],
    ["/balance", ["Payments"]],
    ["/balance?view=journal", ["Ledger entries"]],
    [`/balance/statement?month=${month}`, ["Statement lines"]],
    ["/developers", ["API keys"]],
    ["/developers/events", ["Events"]],
    ["/developers/requests", ["Calls"]],
    ["/developers/webhooks", ["Webhook endpoints"]],
    [`/developers/webhooks/${endpoint}`, ["Deliveries"]],
    ["/settings/team", ["Members", "Invitations"]],
    ["/settings/audit-log", ["Audit log"]],
    ["/settings/gateway", ["Callbacks"]],
    ["/settings/shop-plugins", ["Shop plugins"]],
    [`/settings/shop-plugins/${plugin}`, ["Callbacks"]],
  ] as const) {
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.goto(at(address));
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    for (const list of lists)
      await expect(page.getByRole("table", { name: list }), address).toBeVisible();
    for (let width = 320; width <= 1_920; width += 40) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await cutOff(page), `${address} at ${width} px`).toEqual([]);
    }
  }
});
