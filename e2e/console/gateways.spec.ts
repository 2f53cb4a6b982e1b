import type { Browser, Page } from "@playwright/test";
import type { Payment } from "@/lib/contract/payments";
import { newId } from "@/lib/kernel/ids";
import { BillplzPeer } from "@/tests/billplz-peer/peer";
import { ChipPeer } from "@/tests/chip-peer/peer";
import { StripePeer } from "@/tests/stripe-peer/peer";
import { expectFitsPhone } from "../accessibility";
import { leave, type Install } from "../install";
import { startService } from "../service";
import { newLink, type Shop } from "../shop";
import { test as base, expect } from "./fixtures";
import { arrive, notice } from "./screen";
import { joinShop } from "./staff";

type Peers = { chip: ChipPeer; billplz: BillplzPeer; stripe: StripePeer };

/** An install of its own that calls test servers of three gateways. */
const test = base.extend<
  { at: (path?: string, mode?: "test" | "live") => string },
  { peers: Peers; install: Install }
>({
  peers: [
    async ({ browserName: _ }, use) => {
      const chip = await new ChipPeer().start();
      const billplz = await new BillplzPeer().start();
      const stripe = await new StripePeer().start();
      chip.delivers = true;
      billplz.delivers = true;
      await use({ chip, billplz, stripe });
      for (const peer of [chip, billplz, stripe]) await peer.stop();
    },
    { scope: "worker" },
  ],
  install: [
    async ({ peers: { chip, billplz, stripe } }, use) => {
      const service = await startService({
        CHIP_API_URL: chip.origin,
        BILLPLZ_API_URL: billplz.origins.live,
        BILLPLZ_SANDBOX_API_URL: billplz.origins.test,
        STRIPE_API_URL: stripe.origin,
      });
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

const choose = (page: Page, gateway: string) =>
  page.getByRole("combobox", { name: "Payment provider" }).selectOption({ label: gateway });
const field = (page: Page, name: string) => page.getByRole("textbox", { name });
const submit = (page: Page) => page.getByRole("button", { name: "Check and connect" }).click();
const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Connects a fresh company at CHIP on the screen. */
async function connectChip(page: Page, { chip }: Peers) {
  const { bank, secret } = chip.open("test");
  await choose(page, "CHIP");
  await field(page, "Secret key").fill(secret);
  await field(page, "Brand ID").fill(bank.brandId);
  await submit(page);
  await expect(card(page, "CHIP")).toContainText(`Night Market (${bank.brandId})`);
  return { bank, secret };
}

/** A payer at an address in their own window. */
async function elsewhere(
  browser: Browser,
  address: string,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(address);
  await act(page);
  await context.close();
}

const paymentsOf = async (shop: Shop, id: string) =>
  (await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${id}`)).data;

test("CHIP is connected by key and brand, a wrong one is named at its field, and a payer pays by the bank they chose", async ({
  page,
  browser,
  shop,
  at,
  audit,
  peers,
}) => {
  await arrive(page, at("/settings/gateway"), "Payment provider");
  await choose(page, "CHIP");
  const { bank, secret } = peers.chip.open("test");
  await field(page, "Secret key").fill(secret);
  await field(page, "Brand ID").fill(peers.chip.open("test").bank.brandId);
  await submit(page);
  await expect(field(page, "Brand ID")).toHaveAccessibleDescription(/does not accept this brand/);
  await field(page, "Brand ID").fill(bank.brandId);
  await field(page, "Secret key").fill(`unknown-${newId()}`);
  await submit(page);
  await expect(field(page, "Secret key")).toHaveAccessibleDescription(/does not accept this key/);
  await audit(page);
  await field(page, "Secret key").fill(secret);
  await submit(page);
  await expect(notice(page, "Connected to Night Market")).toBeVisible();
  await expect(card(page, "CHIP")).toContainText(`Night Market (${bank.brandId})`);
  await audit(page);
  await expectFitsPhone(page);
  expect(await page.content()).not.toContain(secret);

  const link = await newLink(shop, { title: "Satay for two", amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await expect(payer.getByRole("radio", { name: /^Online banking \(FPX\)/ })).toBeChecked();
    await payer.getByRole("combobox", { name: "Your bank" }).selectOption("Maybank2u");
    await expectFitsPhone(payer);
    await audit(payer);
    await payer.getByRole("button", { name: /^Pay / }).click();
    await expect(payer.getByRole("heading", { name: "Satay for two" })).toBeVisible();
    await payer.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  });
  expect(bank.purchases.at(-1)).toMatchObject({
    status: "paid",
    payment_method_whitelist: ["fpx"],
  });
  expect(await paymentsOf(shop, link._id)).toMatchObject([
    { status: "succeeded", gateway: "chip", amount: 2_000 },
  ]);
  await expect(card(page, "Callbacks")).toContainText("Arriving");
  expect(peers.chip.problems).toEqual([]);
});

test("two gateways are connected; the payer chooses, changes their mind, and pays once; staff choose which comes first", async ({
  page,
  browser,
  shop,
  at,
  audit,
  peers,
}) => {
  await arrive(page, at("/settings/gateway"), "Payment provider");
  const { bank } = await connectChip(page, peers);
  await page.getByRole("button", { name: "Connect another payment provider…" }).click();
  await choose(page, "Stripe");
  const key = `sk_test_${newId()}`;
  await field(page, "Secret key").fill(key);
  await submit(page);
  await expect(card(page, "Stripe")).toContainText("First of 2");
  await expect(card(page, "Connect Billplz")).toBeVisible();
  await expect(field(page, "Secret key")).toHaveValue("");
  await card(page, "CHIP").getByRole("button", { name: "Put first" }).click();
  await expect(card(page, "CHIP")).toContainText("First of 2");
  await expect(card(page, "Stripe")).toContainText("Number 2 of 2");
  await card(page, "Stripe").getByRole("button", { name: "Put first" }).click();
  await expect(card(page, "Stripe")).toContainText("First of 2");
  await audit(page);

  const link = await newLink(shop, { title: "Satay for two", amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await payer.getByRole("radio", { name: /^DuitNow QR/ }).check();
    await payer.getByRole("button", { name: /^Pay / }).click();
    await expect(payer.getByRole("heading", { name: "Satay for two" })).toBeVisible();
    expect(payer.url()).toContain(peers.chip.origin);
    await payer.goto(link.payment_url);
    // By keyboard alone: the chosen radio, then the button.
    await payer.getByRole("radio", { name: /^Card/ }).press("Space");
    await payer.getByRole("radio", { name: /^Card/ }).press("Enter");
    await expect(payer.getByRole("heading", { name: "Satay for two" })).toBeVisible();
    expect(payer.url()).toContain(peers.stripe.origin);
    await payer.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  });
  expect(bank.purchases.at(-1)?.status).toBe("cancelled");
  const payments = await paymentsOf(shop, link._id);
  expect(payments.map(({ gateway, status }) => [gateway, status])).toEqual([
    ["stripe", "succeeded"],
    ["chip", "cancelled"],
  ]);
});

test("Billplz is connected by key, collection and X Signature key; a refund there is made by hand and recorded", async ({
  page,
  browser,
  shop,
  at,
  audit,
  peers,
}) => {
  const { shop: account, secret } = peers.billplz.open("test");
  await arrive(page, at("/settings/gateway"), "Payment provider");
  await choose(page, "Billplz");
  await field(page, "Secret key").fill(secret);
  await field(page, "Collection ID").fill("nobodys");
  await field(page, "X Signature key").fill(account.xSignatureKey);
  await submit(page);
  await expect(field(page, "Collection ID")).toHaveAccessibleDescription(/no such collection/);
  await field(page, "Collection ID").fill(account.collectionId);
  await submit(page);
  await expect(card(page, "Billplz")).toContainText(`Night Market (${account.collectionId})`);
  await expect(page.getByText("Its X Signature key is kept here.")).toBeVisible();
  await audit(page);
  await expectFitsPhone(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  const link = await newLink(shop, { title: "Satay for two", amount: 2_000 });
  await elsewhere(browser, link.payment_url, async (payer) => {
    await payer.getByRole("button", { name: /^Pay / }).click();
    await payer.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(payer.getByRole("heading", { name: "Thank you" })).toBeVisible();
  });
  await expect(card(page, "Callbacks")).toContainText("Arriving");
  const [payment] = await paymentsOf(shop, link._id);
  expect(payment).toMatchObject({ status: "succeeded", gateway: "billplz" });
  await arrive(page, at(`/payments/${payment?._id}`), "MYR 20.00");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Refund/ }).click();
  await expect(dialog).toContainText("Billplz has no refunds through its API.");
  await audit(page);
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Record", exact: false }).click();
  await expect(page.getByText("MYR 20.00 refunded")).toBeVisible();
  expect(peers.billplz.problems).toEqual([]);
});
