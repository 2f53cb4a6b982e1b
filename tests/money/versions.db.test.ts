import { describe, expect, it } from "vitest";
import type { Ctx } from "@/lib/domain/context";
import { reopen } from "@/lib/domain/payment-links/cancel";
import { get } from "@/lib/domain/payment-links/get";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { cancel, remove, update } from "@/lib/flows/link-change/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { choose, newLink, newShop, paymentsOf, press } from "./setting";

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
