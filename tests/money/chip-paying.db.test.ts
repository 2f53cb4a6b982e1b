import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { begin } from "@/lib/flows/checkout/steps";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { charge } from "@/lib/flows/charge/steps";
import { connect, replace } from "@/lib/flows/connecting/steps";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { chipGateway } from "@/lib/gateways/chip/adapter";
import { newId } from "@/lib/kernel/ids";
import { ErrorAnswer } from "../chip-peer/refused";
import { runningChip } from "../chip-peer/running";
import { runningPeer } from "../stripe-peer/running";
import {
  atChip,
  callBack,
  type ChipShop,
  comeBack,
  connectChip,
  lastEvent,
  newChipLink,
  newChipShop,
  paidAtChip,
  paymentsOf,
  savedAtChip,
} from "./chip-setting";
import { ledgerOf, newBusiness } from "./stripe-setting";

const peer = runningChip();
runningPeer();

afterEach(() => {
  vi.restoreAllMocks();
  peer.trouble = null;
});
afterAll(closePool);

const now = async ({ ctx }: ChipShop, id: string) => (await findPayment(ctx, id)) as PaymentRow;
/** Old enough that an attempt which is proven to be absent ends. */
const age = (id: string) =>
  db.execute(
    sql`update payments set started_at = (select started_at - interval '16 minutes') where id = ${id}`,
  );
const takenBy = ({ bank }: ChipShop, { id }: PaymentRow) =>
  bank.purchases.flatMap(({ reference, payment }) =>
    reference === id && payment ? [payment.amount] : [],
  );

describe("connecting", () => {
  test("key and brand are checked together, and CHIP's key for callbacks is kept", async () => {
    const shop = await newChipShop(peer);
    const { gateway, connection } = await resolveGateway(shop.ctx);
    expect(gateway.name).toBe("chip");
    expect(connection).toMatchObject({
      secret: shop.secret,
      account: shop.bank.brandId,
      callbackSecret: shop.bank.keys.publicPem.trim(),
    });
    expect(shop.bank.purchases.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  test.each([
    [
      "another company's brand",
      "brand_id",
      () =>
        newId()
          .padEnd(32, "0")
          .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5"),
      (secret: string) => secret,
    ],
    ["no brand", "brand_id", () => undefined, (secret: string) => secret],
    [
      "a key that CHIP does not know",
      "secret_key",
      (brand: string) => brand,
      () => "unknown-key-of-nobody",
    ],
    ["a key of Stripe", "secret_key", (brand: string) => brand, () => `sk_test_${newId()}`],
  ] as const)("%s is a 422 on %s", async (_name, field, brandOf, secretOf) => {
    const ctx = await newBusiness();
    const { bank, secret } = peer.open();
    const brand = brandOf(bank.brandId);
    const input = {
      gateway: "chip",
      secret_key: secretOf(secret),
      ...(brand ? { brand_id: brand } : {}),
    } as const;
    await expect(connect(ctx, input)).rejects.toMatchObject({
      status: 422,
      options: { errors: { [field]: [expect.stringMatching(/\S/)] } },
    });
  });

  test.each(["test", "live"] as const)(
    "a key of the other mode is refused in %s mode",
    async (mode) => {
      const ctx = await newBusiness(mode);
      const { bank, secret } = peer.open(mode === "test" ? "live" : "test");
      await expect(
        connect(ctx, { gateway: "chip", secret_key: secret, brand_id: bank.brandId }),
      ).rejects.toMatchObject({
        status: 422,
        options: { errors: { secret_key: [expect.stringContaining(`${mode} mode`)] } },
      });
    },
  );

  test("a key is replaced by another of the same brand", async () => {
    const shop = await newChipShop(peer);
    const next = newId();
    peer.share(shop.secret, next);
    await replace(shop.ctx, shop.connectionId, { secret_key: next });
    expect((await resolveGateway(shop.ctx)).connection.secret).toBe(next);
    const other = peer.open();
    await expect(
      replace(shop.ctx, shop.connectionId, { secret_key: other.secret }),
    ).rejects.toMatchObject({ status: 422 });
  });
});

describe.each(["test", "live"] as const)("paying in %s mode", (mode) => {
  test("a success callback settles the payment, its fee and the ledger", async () => {
    const shop = await newChipShop(peer, mode);
    const { payment, purchase } = await atChip(shop, 2_000);
    shop.bank.press(purchase, "approve");
    expect(await callBack(shop, lastEvent(shop, "purchase.paid"))).toBe(200);
    await expect
      .poll(async () => (await now(shop, payment.id)).status, { interval: 20, timeout: 15_000 })
      .toBe("succeeded");
    expect(await ledgerOf(shop as never)).toMatchObject({
      gateway: 1_910,
      sales: -2_000,
      fees: 90,
    });
  });

  test("pressing pay twice at once leads to one page", async () => {
    const shop = await newChipShop(peer, mode);
    const linkId = await newChipLink(shop);
    const begun = await Promise.all([1, 2, 3].map(() => begin(shop.ctx, linkId, 1)));
    const urls = new Set(begun.map((one) => (one.kind === "redirect" ? one.url : one.kind)));
    expect(urls.size).toBe(1);
    const [payment, ...more] = await paymentsOf(shop);
    expect(more).toEqual([]);
    if (!payment?.gatewayId) throw new Error("no page was opened");
    expect([...urls][0]).toContain(payment.gatewayId);
    shop.bank.press(payment.gatewayId, "approve");
    expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
  });
});

describe("what CHIP says", () => {
  test.each([
    ["amount", { amount: 1 }],
    ["currency", { currency: "SGD" }],
  ])("another %s than was asked for never counts as paid", async (_what, change) => {
    const shop = await newChipShop(peer);
    const { payment, purchase } = await atChip(shop);
    shop.bank.press(purchase, "approve");
    peer.bend = {
      operation: "GET /purchases/{id}/",
      change: (answer) => Object.assign(answer.payment as object, change),
    };
    expect(await comeBack(shop, payment.id)).toMatchObject({
      status: "unknown",
      flags: ["amount_mismatch"],
      succeededAt: null,
    });
  });

  test("a page for another amount is closed, and no payer is sent there", async () => {
    const shop = await newChipShop(peer);
    peer.bend = {
      operation: "POST /purchases/",
      change: (answer) => Object.assign(answer.purchase as object, { total: 1 }),
    };
    await expect(atChip(shop)).rejects.toThrow("refused");
    expect(shop.bank.purchases.at(-1)?.status).toBe("cancelled");
  });

  test("a purchase that somebody marked as paid at CHIP does not count as paid, and staff can record it", async () => {
    const shop = await newChipShop(peer);
    const { payment, purchase } = await atChip(shop);
    shop.bank.markAsPaid(shop.bank.purchase(purchase));
    expect(await comeBack(shop, payment.id)).toMatchObject({
      status: "cancelled",
      succeededAt: null,
    });
    const link = payment.paymentLinkId ?? "";
    await recordManualPayment(shop.ctx, link, { method: "bank_transfer" });
    expect(await getLink(shop.ctx, link)).toMatchObject({ status: "Paid" });
  });

  test.each([
    ["HTML", 200, "<html>maintenance</html>"],
    ["an error of its own", 500, "oops"],
    ["an empty object", 200, "{}"],
    ["a key that is refused", 401, "{}"],
    ["a 404 of a proxy", 404, "<html>not found</html>"],
    ["a purchase that it does not know", 404, ""],
  ])("%s is unknown, never an outcome", async (_name, status, body) => {
    const shop = await newChipShop(peer);
    const { payment, purchase } = await atChip(shop);
    shop.bank.press(purchase, "approve");
    await age(payment.id);
    peer.trouble = { status, body };
    expect(await comeBack(shop, payment.id)).toMatchObject({
      status: "unknown",
      succeededAt: null,
    });
    peer.trouble = null;
    expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
  });

  test("a 404 of a proxy forgets no card, refuses no page and shows no refund to be absent", async () => {
    const shop = await newChipShop(peer);
    const { id } = await paidAtChip(shop);
    const { gateway, connection } = await resolveGateway(shop.ctx);
    const card = shop.bank.saveMethod("works");
    const { gatewayId, startedAt } = await now(shop, id);
    const asked = { key: newId(), reference: id, amount: 100, currency: "MYR" };
    const hint = { gatewayId, since: startedAt };
    peer.trouble = { status: 404, body: "<html>not found</html>" };
    expect(await gateway.forgetCustomer(connection, card)).toMatchObject({ kind: "unknown" });
    expect(await gateway.findRefund(connection, { ...asked, hint })).toMatchObject({
      kind: "unknown",
    });
    await expect(atChip(shop)).rejects.toThrow("no_answer");
    peer.trouble = null;
    expect(await gateway.forgetCustomer(connection, card)).toEqual({ kind: "forgotten" });
  });
});

describe("a page that opens late, for an earlier press", () => {
  test.each([
    ["decline", "requires_action"],
    ["approve_later", "pending"],
  ] as const)(
    "(after %s) is closed, does not replace the page that the payer is on, and the money of that one is found",
    async (outcome, status) => {
      const shop = await newChipShop(peer);
      const linkId = await newChipLink(shop);
      const open = chipGateway.beginPayment;
      const opened = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      vi.spyOn(chipGateway, "beginPayment").mockImplementationOnce(async (...call) => {
        const answer = await open(...call);
        opened.resolve();
        await resumed.promise;
        return answer;
      });
      const stalled = begin(shop.ctx, linkId, 1);
      await opened.promise;
      await begin(shop.ctx, linkId, 1);
      const [payment] = (await paymentsOf(shop)) as [PaymentRow];
      const { id, checkoutUrl } = payment;
      const gatewayId = String(payment.gatewayId);
      shop.bank.press(gatewayId, outcome);
      expect(await comeBack(shop, id)).toMatchObject({ status });
      resumed.resolve();
      await stalled;
      expect(await now(shop, id)).toMatchObject({ status, gatewayId, checkoutUrl });
      const late = shop.bank.purchases.filter(
        (purchase) => purchase.reference === id && purchase.id !== gatewayId,
      );
      expect(late.map((purchase) => purchase.status)).toEqual(["cancelled"]);
      shop.bank.press(gatewayId, "approve");
      shop.bank.settle();
      expect(await comeBack(shop, id)).toMatchObject({ status: "succeeded", gatewayId });
    },
  );
});

describe("a charge in two steps", () => {
  const charged = { amount: 1_000, currency: "MYR", title: "October" };

  /** A process that stops for good before or after it called CHIP. `resume` lets it go on, as one that was only stalled. */
  async function stoppedAt(
    shop: ChipShop,
    token: string,
    step: "prepare" | "charge",
    when: string,
  ) {
    const work = chipGateway[step];
    if (!work) throw new Error("nothing is prepared");
    const stopped = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    vi.spyOn(chipGateway, step as "charge").mockImplementationOnce(
      async (...call): ReturnType<typeof chipGateway.charge> => {
        const early = when === "before" ? null : await work(...call);
        stopped.resolve();
        await resumed.promise;
        return (early ?? (await work(...call))) as Awaited<ReturnType<typeof chipGateway.charge>>;
      },
    );
    const running = charge(shop.ctx, token, charged);
    await stopped.promise;
    const resume = async () => {
      resumed.resolve();
      return running;
    };
    return { resume, payment: (await paymentsOf(shop))[0] as PaymentRow };
  }

  test.each([
    ["prepare", "before"],
    ["prepare", "after"],
    ["charge", "before"],
    ["charge", "after"],
  ] as const)(
    "that is killed at %s, %s the call, is finished by the worker and takes the money once",
    async (step, when) => {
      const shop = await newChipShop(peer);
      const { token } = await savedAtChip(shop);
      const { resume, payment } = await stoppedAt(shop, token, step, when);
      expect(payment).toMatchObject({ status: "submitting" });
      expect(payment.gatewayId !== null).toBe(step === "charge");
      expect(await reconcile(shop.ctx, payment)).toMatchObject({ status: "succeeded" });
      expect(takenBy(shop, payment)).toEqual([1_000]);
      expect(await resume()).toMatchObject({ status: "succeeded" });
      expect(takenBy(shop, payment)).toEqual([1_000]);
    },
  );

  test("whose answer is lost is found by its id, and is not sent again", async () => {
    const shop = await newChipShop(peer);
    const { token } = await savedAtChip(shop);
    peer.lose("POST /purchases/{id}/charge/");
    const { _id, status } = await charge(shop.ctx, token, charged);
    expect(status).toBe("unknown");
    const sent = () => peer.calls.filter((call) => call === "POST /purchases/{id}/charge/").length;
    const before = sent();
    expect(await reconcile(shop.ctx, await now(shop, _id))).toMatchObject({ status: "succeeded" });
    expect(sent()).toBe(before);
    expect(takenBy(shop, await now(shop, _id))).toEqual([1_000]);
  });

  test("that CHIP refuses without a word of the charge has failed all the same", async () => {
    const shop = await newChipShop(peer);
    const { token } = await savedAtChip(shop);
    vi.spyOn(chipGateway, "charge").mockResolvedValueOnce({
      kind: "failed",
      gatewayId: "",
      decline: "hard",
      reason: "No such card is saved at CHIP.",
    });
    expect(await charge(shop.ctx, token, charged)).toMatchObject({ status: "failed" });
    const [payment] = await paymentsOf(shop);
    expect(payment?.gatewayId).toMatch(/\S/);
  });

  test("that CHIP refuses without showing a try has failed, with CHIP's reason", async () => {
    const shop = await newChipShop(peer);
    const { token } = await savedAtChip(shop);
    const message = "The acquirer did not take the charge.";
    vi.spyOn(shop.bank, "charge").mockImplementationOnce(() => {
      throw new ErrorAnswer(400, { __all__: { message, code: "purchase_charge_error" } });
    });
    const { _id, status } = await charge(shop.ctx, token, charged);
    expect(status).toBe("failed");
    expect(await now(shop, _id)).toMatchObject({ decline: "soft", message });
    const purchase = shop.bank.purchases.find(({ reference }) => reference === _id);
    expect(purchase?.status).toBe("cancelled");
  });

  test("that is declined is closed at CHIP, so that a delayed request takes nothing", async () => {
    const shop = await newChipShop(peer);
    const { token } = await savedAtChip(shop);
    const saved = shop.bank.purchases.findLast(({ status }) => status === "preauthorized");
    if (saved) shop.bank.behave(saved.id, "soft");
    const { _id, status } = await charge(shop.ctx, token, charged);
    expect(status).toBe("failed");
    const purchase = shop.bank.purchases.find(({ reference }) => reference === _id);
    expect(purchase?.status).toBe("cancelled");
  });
});

test("a saved method stays with its gateway when another one takes new payments", async () => {
  const shop = await newChipShop(peer);
  const { token } = await savedAtChip(shop);
  await connect(shop.ctx, { secret_key: `sk_test_${newId()}` });
  const { gateway } = await resolveGateway(shop.ctx);
  expect(gateway.name).toBe("stripe");
  const { _id, status } = await charge(shop.ctx, token, {
    amount: 700,
    currency: "MYR",
    title: "May",
  });
  expect(status).toBe("succeeded");
  expect(await now(shop, _id)).toMatchObject({ gateway: "chip", connectionId: shop.connectionId });
  const { rows } = await db.execute(
    sql`select count(*)::int as n from gateway_connections where business_id = ${shop.ctx.businessId} and enabled and gateway <> 'simulator'`,
  );
  expect(rows).toEqual([{ n: 2 }]);
  await expect(connectChip(peer, shop.ctx)).rejects.toMatchObject({ status: 409 });
});
