import { describe, expect, test } from "vitest";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { newWorld, silence } from "./own-setting";

const world = newWorld();

test("an order is declined, then paid; only the webhook makes it paid, and the payer comes back to the shop", async () => {
  const id = world.shop.order("12.50");
  await world.pay(id, "decline");
  await world.noteComes(id, "did not go through");
  expect(world.shop.read(id).status).toBe("pending");

  await world.pay(id);
  const [paid] = (await world.payments()).filter(({ status }) => status === "succeeded");
  const back = await fetch(`${world.kutip.origin}/pay/return?payment_id=${paid?._id}`, {
    redirect: "manual",
  });
  const address = new URL(back.headers.get("location") ?? "");
  expect(address.origin).toBe(world.shop.origin);
  expect(address.searchParams.get("key")).toBe(`wc_order_${id}`);
  // The way back proves nothing.
  expect(await world.shop.page(address.pathname)).toContain("waiting for the confirmation");
  expect(world.shop.read(id).status).toBe("pending");

  await world.statusBecomes(id, "processing");
  expect(world.shop.read(id)).toMatchObject({ transaction_id: paid?._id, completed: 1 });
  expect(await world.shop.page(address.pathname)).toBe("");
  expect(await world.links()).toMatchObject([
    { amount: 1_250, currency: "MYR", status: "Paid", reference: String(id) },
  ]);
  // A payer who presses again is not asked for money again.
  expect((await world.shop.checkout(id)).redirect).toContain(`/order-received/${id}/`);
});

test("presses at the same time make one link, and so does a press whose answer was lost", async () => {
  const id = world.shop.order("12.50");
  const pressed = await Promise.all(Array.from({ length: 5 }, () => world.shop.checkout(id)));
  expect(new Set(pressed.map(({ redirect }) => redirect)).size).toBe(1);
  expect(await world.links()).toHaveLength(1);
  // Without its notes on the link, as after a process that died before it wrote them.
  world.shop.edit(id, { meta: {} });
  expect((await world.shop.checkout(id)).redirect).toBe(pressed[0]?.redirect);
  expect(await world.links()).toHaveLength(1);
});

test.each([
  ["Kedai 😀", "Order 7001 – Kedai 😀"],
  ["Zurück ÀÓ", "Order 7001 – Zurück ÀÓ"],
  ["山一", "Order 7001 – 山一"],
  [" – ", "Order 7001"],
])("the shop's name %j is kept whole in the title of the link", async (name, title) => {
  world.shop.rename(name);
  const id = world.shop.order("12.50", "MYR", 7001);
  await world.shop.checkout(id);
  expect((await world.links()).map((link) => link.title)).toEqual([title]);
});

test.each([
  ["MYR", "12.50", 1_250],
  ["MYR", "12.5", 1_250],
  ["MYR", "19.99", 1_999],
  ["JPY", "1200", 1_200],
  ["JPY", "1200.00", 1_200],
  ["KWD", "5.125", 5_125],
  ["KWD", "5.1", 5_100],
])("%s %s is %i in minor units, and is paid", async (currency, total, amount) => {
  const { payment } = await world.paidOrder(total, currency);
  expect(await world.read(`/payments/${payment}`)).toMatchObject({ amount, currency });
});

test.each([
  ["JPY", "1200.50"],
  ["MYR", "12.505"],
  ["MYR", "-12.50"],
  ["MYR", "1,250.00"],
  ["MYR", "1e3"],
])("%s %s is no amount: the payer reads a notice, and no link is made", async (currency, total) => {
  const id = world.shop.order(total, currency);
  expect(await world.shop.checkout(id)).toMatchObject({
    result: "failure",
    notices: [expect.stringContaining("error: This order cannot be paid this way")],
  });
  expect(await world.links()).toEqual([]);
});

test.each([
  ["MYR", "1.00", "MYR 5.00"],
  ["JPY", "100", "JPY 500"],
  ["KWD", "0.100", "KWD 0.500"],
])(
  "an amount that Kutip refuses is a notice for the payer and a reason for staff: %s %s, at least %s",
  async (currency, total, least) => {
    const id = world.shop.order(total, currency);
    expect((await world.shop.checkout(id)).result).toBe("failure");
    expect(world.shop.read(id).notes).toEqual([
      `Kutip made no payment link: The amount must be at least ${least}.`,
    ]);
  },
);

test("a payment of another amount than the order costs now does not make it paid", async () => {
  const id = world.shop.order("12.50");
  const { redirect = "" } = await world.shop.checkout(id);
  world.shop.edit(id, { total: "99.00" });
  await visitAsPayer(world.kutip.origin, redirect, "approve");
  await world.statusBecomes(id, "on-hold");
  expect(world.shop.read(id)).not.toHaveProperty("completed");
  expect(world.shop.read(id).notes?.join()).toContain("does not count as paid");
});

test.each([
  [{ total: "20.00" }, { amount: 2_000 }],
  [{ currency: "SGD" }, { currency: "SGD" }],
  [{ billing_email: "sitti@example.com" }, { email: "sitti@example.com" }],
])(
  "an order that was changed before it is paid gets another link, and the first cannot be paid: %j",
  async (change, paid) => {
    const id = world.shop.order("12.50");
    await world.shop.checkout(id);
    world.shop.edit(id, change);
    await world.pay(id);
    await world.statusBecomes(id, "processing");
    const first = { amount: 1_250, currency: "MYR", email: "siti@example.com" };
    expect(await world.links()).toMatchObject([
      { ...first, ...paid, status: "Paid" },
      { ...first, status: "Cancelled" },
    ]);
  },
);

test("without an answer from Kutip the payer reads a notice, and the order waits and is paid later", async () => {
  const id = world.shop.order("12.50");
  const dead = await silence();
  world.connect(dead.origin);
  expect(await world.shop.checkout(id)).toMatchObject({
    result: "failure",
    notices: [expect.stringContaining("does not answer right now. Your order is saved.")],
  });
  expect(world.shop.read(id)).toMatchObject({
    status: "pending",
    notes: [expect.stringContaining("did not answer")],
  });
  world.connect();
  dead.close();
  await world.pay(id);
  await world.statusBecomes(id, "processing");
  expect(await world.links()).toHaveLength(1);
});

test.each<[string, (silent: string) => void]>([
  ["gives no answer", (silent) => world.connect(silent)],
  ["refuses the API key", () => world.connect(world.kutip.origin, "sk_test_revoked")],
])("a payer who may have paid is asked not to pay again while Kutip %s", async (_name, connect) => {
  const id = world.shop.order("12.50");
  const { redirect = "" } = await world.shop.checkout(id);
  await visitAsPayer(world.kutip.origin, redirect, "approve");
  const dead = await silence();
  connect(dead.origin);
  expect(await world.shop.checkout(id)).toEqual({
    result: "failure",
    notices: [
      "error: We cannot see right now whether your payment went through. Please do not pay again; try again in a few minutes or ask the shop.",
    ],
  });
  const notes = world.shop.read(id).notes?.join();
  expect(notes).toContain("Kutip did not say what became of the payment link");
  expect(notes).not.toContain("made no payment link");
  world.connect();
  dead.close();
  await world.statusBecomes(id, "processing");
});

describe("a paid order that staff set back to pending", () => {
  const notesOf = (id: number) => world.shop.read(id).notes?.join();

  /** The payer presses pay again, and pays. */
  async function isPaidAgain(id: number, before: string) {
    await world.shop.setStatus(id, "pending");
    expect((await world.shop.checkout(id)).redirect).not.toContain(world.shop.origin);
    await world.pay(id);
    expect(await world.shop.page(`/order-received/${id}/`)).toContain("waiting for the");
    await world.statusBecomes(id, "processing");
    const { transaction_id: payment = "" } = world.shop.read(id);
    expect(payment).not.toBe(before);
    expect(notesOf(id)).not.toContain("another payment");
    return payment;
  }

  test.each<[string, (id: number, payment: string) => Promise<unknown>]>([
    ["in Kutip", (_, payment) => world.refundInKutip(payment, 1_250)],
    ["on the order page", (id) => world.shop.refund(id, "12.50")],
  ])(
    "is paid by another link after a full refund %s, and can be refunded once more",
    async (_, refund) => {
      const { id, payment } = await world.paidOrder();
      await refund(id, payment);
      await world.statusBecomes(id, "refunded");
      const next = await isPaidAgain(id, payment);
      // Staff delete the earlier refund: WooCommerce counts it against the total.
      world.shop.edit(id, { refunds: [] });
      expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
      expect((await world.refunds(next)).map(({ amount }) => amount)).toEqual([500]);
      await world.refundInKutip(next, 300);
      await world.noteComes(id, "Kutip shows MYR 3.00 as given back.");
    },
  );

  test("is paid by another link where the refund is reported only after the payer has pressed", async () => {
    const { id, payment } = await world.paidOrder();
    await world.refundInKutip(payment, 1_250);
    await world.shop.setStatus(id, "pending");
    const { redirect } = await world.shop.checkout(id);
    expect(redirect).not.toContain(world.shop.origin);
    await world.statusBecomes(id, "refunded");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "12.50" }]);
    expect(world.shop.read(id)).toMatchObject({ completed: 1 });
    await isPaidAgain(id, payment);
  });

  test("that is marked as paid by hand before the webhook of its next payment gets that payment", async () => {
    const { id, payment } = await world.paidOrder();
    await world.refundInKutip(payment, 1_250);
    await world.statusBecomes(id, "refunded");
    await world.shop.setStatus(id, "pending");
    await world.pay(id);
    await world.shop.setStatus(id, "completed");
    await world.noteComes(id, "The order had been marked as paid by hand.");
    expect(world.shop.read(id).transaction_id).not.toBe(payment);
  });

  test.each([0, 500])(
    "gets no other link while %i of 1250 were given back, and its payer reads that there is a payment",
    async (refunded) => {
      const { id, payment } = await world.paidOrder();
      if (refunded > 0) await world.refundInKutip(payment, refunded);
      await world.shop.setStatus(id, "pending");
      // As where a later link of the order was cancelled.
      const { meta } = world.shop.read(id);
      for (const link of [meta?._kutip_link_id, ""]) {
        world.shop.edit(id, { meta: { ...meta, _kutip_link_id: link } });
        const { redirect = "" } = await world.shop.checkout(id);
        expect(redirect).toContain(`/order-received/${id}/`);
      }
      expect(await world.shop.page(`/order-received/${id}/`)).toContain("There is a payment for");
      expect(await world.links()).toHaveLength(1);
    },
  );

  test("is not asked for its money while Kutip does not say what became of its payment", async () => {
    const { id } = await world.paidOrder();
    await world.shop.setStatus(id, "pending");
    const dead = await silence();
    world.connect(dead.origin);
    const { notices } = await world.shop.checkout(id);
    world.connect();
    dead.close();
    expect(notices).toEqual([expect.stringContaining("Please do not pay again")]);
  });
});

describe("settings", () => {
  test("the page names the mode and what is missing; a method that cannot work is not offered", async () => {
    const page = async () => world.shop.page("/settings-page");
    expect(await page()).toContain("Test mode: payers pay at the simulator");
    expect(await page()).toContain(world.shop.webhookUrl);
    expect(await world.shop.post("/available")).toBe(true);
    world.connect(world.kutip.origin, world.tenant.keys.live);
    expect(await page()).toContain("Live mode: payers pay with real money");
    for (const [values, words] of [
      [
        { address: "", api_key: world.tenant.keys.test, webhook_secret: world.secret },
        "address of Kutip",
      ],
      [
        { address: world.kutip.origin, api_key: "x", webhook_secret: world.secret },
        "API key is missing",
      ],
      [
        { address: world.kutip.origin, api_key: world.tenant.keys.test, webhook_secret: "" },
        "webhook secret",
      ],
    ] as const) {
      world.shop.settings(values);
      expect(await page()).toContain(words);
      expect(await world.shop.post("/available")).toBe(false);
    }
  });

  test("the plugin declares order tables and blocks, and registers with the checkout block", async () => {
    expect(world.shop.features).toEqual({ custom_order_tables: true, cart_checkout_blocks: true });
    expect(await world.shop.post("/blocks")).toMatchObject([
      { name: "kutip", active: true, scripts: ["kutip-blocks"], data: { title: "Pay online" } },
    ]);
  });
});
