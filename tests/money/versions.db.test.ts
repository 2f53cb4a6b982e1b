import { describe, expect, it } from "vitest";
import type { PaymentLinkUpdate } from "@/lib/contract/payment-links";
import type { Ctx } from "@/lib/domain/context";
import { reopen } from "@/lib/domain/payment-links/cancel";
import { get } from "@/lib/domain/payment-links/get";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { cancel, remove, update } from "@/lib/flows/link-change/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { runningChip } from "../chip-peer/running";
import { atChip, comeBack, newChipShop } from "./chip-setting";
import { choose, newLink, newShop, paymentsOf, press } from "./setting";

const chip = runningChip();

const other = {
  email: "payer@example.com",
  currency: "MYR",
  amount: 9_900,
  title: "Satay for ten",
};

describe("a payer at the gateway", () => {
  it.each([
    ["PUT", (ctx: Ctx, id: string) => update(ctx, id, other)],
    ["DELETE", remove],
    ["cancel", cancel],
    ["payment by hand", (ctx: Ctx, id: string) => recordManualPayment(ctx, id, { method: "cash" })],
  ] as const)("keeps the page when a stale %s is refused", async (_verb, change) => {
    const shop = await newShop();
    const link = await newLink(shop);
    const session = await press(shop, link._id);
    const stale = { ...shop.ctx, seenVersion: link.version + 1 };
    await expect(change(stale, link._id)).rejects.toMatchObject({
      status: 409,
      code: "stale_version",
    });
    expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["requires_action"]);
    expect(await press(shop, link._id)).toBe(session);
  });

  it.each<[string, Partial<PaymentLinkUpdate>, string]>([
    ["a past expiry", { expires_at: "2020-01-02T03:04:05.000000Z" }, "expires_at"],
    [
      "a due date after the expiry",
      { expires_at: "2099-01-02T00:00:00.000000Z", due_at: "2099-01-03T00:00:00.000000Z" },
      "due_at",
    ],
    [
      "a reminder before a due date that is missing",
      { reminders: [{ days: -1, relative_to: "due_at" }] },
      "due_at",
    ],
    ["a currency that the gateway refuses", { currency: "SGD" }, "amount"],
  ])("keeps the page when a PUT is refused for %s", async (_reason, change, field) => {
    const shop = await newChipShop(chip);
    const { linkId, payment, purchase } = await atChip(shop);
    await expect(update(shop.ctx, linkId, { ...other, ...change })).rejects.toMatchObject({
      status: 422,
      options: { errors: { [field]: [expect.any(String)] } },
    });
    shop.bank.press(purchase, "approve");
    expect((await comeBack(shop, payment.id)).status).toBe("succeeded");
  });
});

describe("the version of a link", () => {
  it("stays while a payer opens and pays it, and while it is cancelled and reopened", async () => {
    const shop = await newShop();
    const { _id, version } = await newLink(shop);
    expect((await cancel(shop.ctx, _id)).version).toBe(version);
    expect((await reopen(shop.ctx, _id)).version).toBe(version);
    await choose(shop, (await press(shop, _id)) as string, "approve");
    expect(await get(shop.ctx, _id)).toMatchObject({ paid: true, version });
  });

  it("lets a payer who has read the page pay after it was cancelled and reopened, and not after an edit", async () => {
    const shop = await newShop();
    const { _id, version } = await newLink(shop);
    await cancel(shop.ctx, _id);
    await reopen(shop.ctx, _id);
    expect((await begin(shop.ctx, _id, version)).kind).toBe("redirect");
    const next = await newLink(shop);
    await update(shop.ctx, next._id, other);
    expect(await begin(shop.ctx, next._id, next.version)).toEqual({ kind: "changed" });
  });
});
