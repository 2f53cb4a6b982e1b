import { execFile } from "node:child_process";
import path from "node:path";
import type { Browser, Page } from "@playwright/test";
import type { Balance } from "@/lib/contract/ledger";
import type { Payment } from "@/lib/contract/payments";
import { newId } from "@/lib/kernel/ids";
import { displayAmount } from "@/lib/kernel/money";
import { clean } from "@/scripts/test-server.mjs";
import { signed, StripePeer } from "@/tests/stripe-peer/peer";
import { expectFitsPhone } from "../accessibility";
import { leave, type Install } from "../install";
import { startService } from "../service";
import { newLink, newTokenization } from "../shop";
import { test as base, expect } from "./fixtures";
import { newPackage, newSubscription, subscriptionNow } from "./records";
import { arrive, notice, rowOf } from "./screen";
import { joinShop } from "./staff";

/** An install of its own that calls a Stripe test server. */
const test = base.extend<
  { at: (path?: string, mode?: "test" | "live") => string },
  { peer: StripePeer; install: Install }
>({
  peer: [
    async ({ browserName: _ }, use) => {
      const peer = await new StripePeer().start();
      await use(peer);
      await peer.stop();
    },
    { scope: "worker" },
  ],
  install: [
    async ({ peer }, use) => {
      const service = await startService({ STRIPE_API_URL: peer.origin });
      await use(service);
      await leave();
      await service.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  // The runner's own address is another install's.
  at: async ({ shop, staff, install }, use) => {
    await joinShop(staff, shop);
    await use((address = "", mode = "test") => `${install.url}/b/${shop.id}/${mode}${address}`);
  },
});

/** Connects a fresh account on the screen. Kutip has the account call back. */
async function connect(page: Page, peer: StripePeer, address: string) {
  const secretKey = `sk_test_${newId()}`;
  await arrive(page, address, "Payment provider");
  await page.getByRole("textbox", { name: "Secret key" }).fill(secretKey);
  await page.getByRole("button", { name: "Check and connect" }).click();
  await expect(page.getByRole("region", { name: "Stripe", exact: true })).toContainText(
    `Night Market (${peer.bank(secretKey).id})`,
  );
  const callback =
    (await page.getByRole("region", { name: "Callback address" }).textContent())?.trim() ?? "";
  await expect(page.getByText("Its signing secret is kept here.")).toBeVisible();
  const bank = peer.bank(secretKey);
  const [endpoint] = bank.webhooks.all;
  expect(endpoint?.url).toBe(callback);
  const webhookSecret = endpoint?.secret ?? "";
  peer.deliverTo(bank, callback, webhookSecret);
  return { bank, secretKey, webhookSecret, callback };
}

/** A person at an address in their own window. */
async function elsewhere(
  browser: Browser,
  address: string,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await act(page);
  await context.close();
}

test("Stripe is connected, a link is paid, a token activated, a renewal charged, half given back, and every figure agrees", async ({
  page,
  browser,
  shop,
  at,
  peer,
}) => {
  test.setTimeout(120_000);
  const { bank } = await connect(page, peer, at("/settings/gateway"));

  const link = await newLink(shop, { title: "Satay for two", amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await payer.getByRole("button", { name: /^Pay / }).click();
    await expect(payer.getByRole("heading", { name: "Satay for two" })).toBeVisible();
    expect(payer.url()).toContain(`${peer.origin}/c/pay/cs_test_`);
    await payer.getByRole("button", { name: "Card is declined" }).click();
    await expect(payer.getByRole("alert")).toHaveText("Your card was declined.");
    await payer.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  });
  await expect(page.getByRole("region", { name: "Callbacks", exact: true })).toContainText(
    "Arriving",
  );
  await expect(rowOf(page, "Callbacks", "payment_intent.succeeded")).toBeVisible();

  const token = await newTokenization(shop, { email: "nur@example.com" });
  await elsewhere(browser, token.activation_url, async (payer) => {
    await payer.getByRole("button", { name: "Save payment method" }).click();
    await payer.getByRole("button", { name: "Save card" }).click();
    await expect(payer.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  });

  const subscription = await newSubscription(shop, {
    email: "nur@example.com",
    package_id: (await newPackage(shop, { amount: 4_900 }))._id,
  });
  await expect
    .poll(async () => (await subscriptionNow(shop, subscription._id)).status)
    .toBe("active");

  const paid = (
    await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${link._id}`)
  ).data.find(({ status }) => status === "succeeded");
  await arrive(page, at(`/payments/${paid?._id}`), "MYR 20.00");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("10.00");
  await dialog.getByRole("button", { name: /^Refund/ }).click();
  await expect(page.getByText("MYR 10.00 refunded")).toBeVisible();

  const taken = bank.intents.filter(({ status }) => status === "succeeded");
  const sums = {
    gross: taken.reduce((sum, { amount_received }) => sum + amount_received, 0),
    refunds: bank.refunds.reduce((sum, { amount }) => sum + amount, 0),
    fees: taken.reduce(
      (sum, { latest_charge }) => sum + (latest_charge?.balance_transaction?.fee ?? 0),
      0,
    ),
  };
  expect(sums).toMatchObject({ gross: 6_900, refunds: 1_000 });
  const net = sums.gross - sums.refunds - sums.fees;
  const { currencies } = await shop.api.ok<Balance>("GET", "/balance");
  expect(currencies).toMatchObject([{ currency: "MYR", ...sums, net }]);
  const { data: payments } = await shop.api.ok<{ data: Payment[] }>("GET", "/payments");
  expect(
    payments
      .filter(({ gateway }) => gateway === "stripe")
      .map(({ amount, refunded_amount, status }) => ({ amount, refunded_amount, status })),
  ).toEqual([
    { amount: 4_900, refunded_amount: 0, status: "succeeded" },
    { amount: 2_000, refunded_amount: 1_000, status: "partially_refunded" },
  ]);
  await arrive(page, at("/balance"), "Balance");
  await expect(page.getByRole("region", { name: "Balance in MYR" })).toContainText(
    displayAmount(net, "MYR").replace("MYR ", "NetMYR "),
  );
  await arrive(page, at(), "Overview");
  await expect(page.getByText("MYR 59.00").first()).toBeVisible();
  expect(peer.problems).toEqual([]);
});

test("a key is checked before it is kept, replaced by one of the same account, and forgotten when revoked", async ({
  page,
  shop,
  at,
  audit,
  peer,
}) => {
  await arrive(page, at("/settings/gateway"), "Payment provider");
  await expect(page.getByText("Payments of test mode go to Kutip’s own simulator")).toBeVisible();
  const field = page.getByRole("textbox", { name: "Secret key" });
  await page.getByRole("button", { name: "Check and connect" }).click();
  await expect(field).toHaveAccessibleDescription(/Secret key is required\./);
  await field.fill(`sk_live_${newId()}`);
  await field.press("Enter");
  await expect(field).toHaveAccessibleDescription(/must be one of test mode/);
  await expect(field).toBeFocused();
  await field.fill("sk_test_revoked00000000");
  await field.press("Enter");
  await expect(field).toHaveAccessibleDescription(/Stripe does not accept this key\./);
  await audit(page);

  const { secretKey } = await connect(page, peer, at("/settings/gateway"));
  await audit(page);
  await page.reload();
  await expect(page.getByText("Its signing secret is kept here.")).toBeVisible();
  expect(await page.content()).not.toContain(secretKey);

  await page.getByRole("button", { name: "Replace key…" }).click();
  const dialog = page.getByRole("dialog", { name: "Replace the secret key" });
  const next = dialog.getByRole("textbox", { name: "New secret key" });
  await next.fill(`sk_test_${newId()}`);
  await dialog.getByRole("button", { name: "Check and replace" }).click();
  await expect(next).toHaveAccessibleDescription(/belongs to another Stripe account/);
  await audit(page);
  const rolled = `sk_test_${newId()}`;
  peer.share(secretKey, rolled);
  await next.fill(rolled);
  await dialog.getByRole("button", { name: "Check and replace" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("region", { name: "Stripe", exact: true })).toContainText(
    `…${rolled.slice(-4)}`,
  );

  await expectFitsPhone(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page
    .getByRole("alertdialog", { name: "Revoke Stripe for test mode?" })
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(notice(page, "Stripe is no longer connected")).toBeVisible();
  await expect(page.getByRole("region", { name: "Earlier connections" })).toContainText(
    "Night Market",
  );
  expect((await newLink(shop))._id).toBeTruthy();
});

test("a callback that does not agree with what was asked is set aside and shown", async ({
  page,
  browser,
  shop,
  at,
  audit,
  peer,
}) => {
  const { bank, webhookSecret, callback } = await connect(page, peer, at("/settings/gateway"));
  const link = await newLink(shop, { amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await payer.getByRole("button", { name: /^Pay / }).click();
    await payer.getByRole("button", { name: "Pay by bank, later" }).click();
    await expect(payer.getByRole("heading", { level: 1 })).toBeVisible();
  });
  const told = JSON.parse(
    bank.events.find(({ type }) => type === "payment_intent.processing")?.body ?? "",
  ) as { data: { object: object } };
  const body = JSON.stringify({
    ...told,
    id: `evt_${newId()}`,
    type: "payment_intent.succeeded",
    data: { object: { ...told.data.object, status: "succeeded", amount: 200_000 } },
  });
  const answer = await fetch(callback, {
    method: "POST",
    body,
    headers: { "stripe-signature": signed(body, webhookSecret) },
  });
  expect(answer.status).toBe(200);
  await expect(page.getByText("One callback does not match Kutip’s records.")).toBeVisible();
  await page.getByRole("button", { name: "Set aside (1)" }).click();
  await expect(rowOf(page, "Callbacks", "payment_intent.succeeded")).toContainText(
    /The callback reports MYR 2,?000\.00; payment .* asked for MYR 20\.00\./,
  );
  await audit(page);
  await expectFitsPhone(page);
  expect((await shop.api.ok<{ paid: boolean }>("GET", `/payment-links/${link._id}`)).paid).toBe(
    false,
  );
});

test("what a dispute takes is in the payment and the balance until it is won, and a refund that fails after all counts again", async ({
  page,
  browser,
  shop,
  at,
  audit,
  peer,
}) => {
  const { bank } = await connect(page, peer, at("/settings/gateway"));
  const link = await newLink(shop, { title: "Satay for two", amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await payer.getByRole("button", { name: /^Pay / }).click();
    await payer.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  });
  const {
    data: [payment],
  } = await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${link._id}`);
  const facts = page.getByRole("region", { name: "Details" });
  const dispute = bank.dispute(bank.intents[0]?.id ?? "");
  await arrive(page, at(`/payments/${payment?._id}`), "MYR 20.00");
  await expect(page.getByRole("region", { name: "What happened" })).toContainText(
    "The payer disputes this payment with their bank (fraudulent).",
  );
  await expect(facts).toContainText("Taken by the bankMYR 20.00");

  await arrive(page, at("/balance?view=journal"), "Balance");
  const balance = page.getByRole("region", { name: "Balance in MYR" });
  await expect(balance).toContainText(`Taken by disputes${displayAmount(-2_000, "MYR")}`);
  await expect(rowOf(page, "Ledger entries", "Disputes")).toContainText("Dispute");
  await audit(page);
  await expectFitsPhone(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  bank.closeDispute(dispute, "won");
  await expect(balance).not.toContainText("Taken by disputes");

  await shop.api.ok("POST", `/payments/${payment?._id}/refunds`, { amount: 500 });
  await arrive(page, at(`/payments/${payment?._id}`), "MYR 20.00");
  await expect(facts).toContainText("RefundedMYR 5.00");
  const [refund] = bank.refunds;
  if (refund) bank.failRefund(refund);
  await expect(page.getByRole("list", { name: "Refunds" })).toContainText("lost_or_stolen_card");
  await expect(facts).not.toContainText("Refunded");
  expect(peer.problems).toEqual([]);
});

/** The operator's command beside the running install. */
function kutip(
  install: Install,
  peer: StripePeer,
  input: string,
  ...args: string[]
): Promise<{ code: number; out: string; said: string }> {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...outside } = clean() as NodeJS.ProcessEnv;
  const env = {
    ...outside,
    BASE_URL: install.url,
    PORT: new URL(install.url).port,
    KUTIP_DATA_DIR: install.folder,
    KUTIP_SECRET: install.secret,
    STRIPE_API_URL: peer.origin,
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["build/kutip.js", ...args],
      { cwd: path.resolve(import.meta.dirname, "../.."), env, encoding: "utf8" },
      (error, out, said) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out, said }),
    );
    child.stdin?.end(input);
  });
}

test("the operator connects, lists and revokes by command, with keys that no argument shows", async ({
  shop,
  install,
  peer,
}) => {
  const secretKey = `sk_live_${newId()}`;
  const named = ["--business", String(shop.id), "--mode", "live"];
  expect(
    await kutip(install, peer, "pk_live_publishable\n", "gateway:connect", ...named),
  ).toMatchObject({
    code: 1,
    out: "",
    said: expect.stringContaining("secret key format is invalid"),
  });
  const made = await kutip(
    install,
    peer,
    `${secretKey}\nwhsec_${newId()}\n`,
    "gateway:connect",
    ...named,
    "--json",
  );
  expect(made).toMatchObject({ code: 0, said: expect.stringContaining("live mode") });
  const connection = JSON.parse(made.out) as {
    _id: string;
    account: string;
    has_webhook_secret: boolean;
  };
  expect(connection).toMatchObject({ account: peer.bank(secretKey).id, has_webhook_secret: true });
  expect((await kutip(install, peer, "", "gateway:list", ...named)).out).toMatch(
    new RegExp(`^${connection._id}  stripe  live  active  in use  ${connection.account}`),
  );
  expect((await kutip(install, peer, "", "gateway:revoke", connection._id, ...named)).code).toBe(0);
  expect((await kutip(install, peer, "", "gateway:list", ...named)).out).toContain("revoked");
});

test("live mode takes payments once a live key is connected, and only owners and admins connect one", async ({
  page,
  at,
  peer,
  shop,
}) => {
  await arrive(page, at("/settings/gateway", "live"), "Payment provider");
  await expect(
    page.getByText("Live mode takes no payments until a payment provider is connected."),
  ).toBeVisible();
  await page.getByRole("textbox", { name: "Secret key" }).fill(`sk_live_${newId()}`);
  await page.getByRole("button", { name: "Check and connect" }).click();
  await expect(page.getByRole("region", { name: "Stripe", exact: true })).toContainText(
    "Connected",
  );
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Business" })
    .click();
  await expect(page.getByText("A payment provider is connected")).toBeVisible();
  expect((await shop.api.call("GET", "/gateway-connections")).status).toBe(403);
  expect(peer.problems).toEqual([]);
});
