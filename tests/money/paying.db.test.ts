import { describe, expect, it } from "vitest";
import { get } from "@/lib/domain/payment-links/get";
import { cancel, remove, update } from "@/lib/flows/link-change/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { script } from "@/lib/gateways/simulator/scripting";
import { pressButton } from "@/lib/gateways/simulator/page";
import {
  assertBooksAgree,
  chargesOf,
  choose,
  comeBack,
  comeToRest,
  newLink,
  newShop,
  paymentsOf,
  press,
} from "./setting";

const again = {
  email: "payer@example.com",
  currency: "MYR",
  amount: 9_900,
  title: "Satay for ten",
};

describe("a payer", () => {
  it("who pays has paid once, and the link says so", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await choose(shop, (await press(shop, link._id)) as string, "approve");
    expect(await get(shop.ctx, link._id)).toMatchObject({ status: "Paid", paid: true });
    await assertBooksAgree(shop);
  });

  it("who presses pay thirty-two times at once goes to one hosted page and pays once", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const sessions = await Promise.all(Array.from({ length: 32 }, () => press(shop, link._id)));
    expect(new Set(sessions).size).toBe(1);
    await Promise.all(sessions.map((session) => choose(shop, session as string, "approve")));
    expect(await chargesOf(shop, link._id)).toBe(1);
    await assertBooksAgree(shop);
  });

  it("who is declined finds the link open again, with the reason on the attempt, and can pay", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await choose(shop, (await press(shop, link._id)) as string, "decline");
    expect((await get(shop.ctx, link._id)).status).toBe("Active");
    expect((await paymentsOf(shop))[0]).toMatchObject({
      status: "failed",
      message: expect.stringContaining("declined"),
    });
    await choose(shop, (await press(shop, link._id)) as string, "approve");
    expect((await get(shop.ctx, link._id)).paid).toBe(true);
    await assertBooksAgree(shop);
  });

  it("who closes the tab comes back to the same hosted page", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const first = await press(shop, link._id);
    expect(await press(shop, link._id)).toBe(first);
  });

  it("who never finishes is forgotten after a while, and the link is free", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await press(shop, link._id);
    await comeToRest(shop);
    expect((await paymentsOf(shop))[0]?.status).toBe("cancelled");
    expect(await press(shop, link._id)).toBeDefined();
  });

  it("whose form shows an older amount is shown the page again", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await update(shop.ctx, link._id, again);
    expect(await begin(shop.ctx, link._id, 1)).toEqual({ kind: "changed" });
  });
});

describe("an answer that is not definite", () => {
  it.each(["reset", "hang", "error"] as const)(
    "(%s at the look-up) leaves the payment unknown, the link locked, and is found out later",
    async (effect) => {
      const shop = await newShop();
      const link = await newLink(shop);
      const session = (await press(shop, link._id)) as string;
      const { setTimes } = await import("@/lib/gateways/simulator/scripting");
      await setTimes(shop.account.connection, { answerLimitMs: 20 });
      await script(shop.account.connection.id, "find", effect, { times: 1 });
      await choose(shop, session, "approve");
      expect((await get(shop.ctx, link._id)).status).toBe("Processing");
      expect((await paymentsOf(shop))[0]?.status).toBe("unknown");
      expect(await press(shop, link._id)).toBeUndefined();
      await comeToRest(shop);
      expect((await get(shop.ctx, link._id)).paid).toBe(true);
      await assertBooksAgree(shop);
    },
  );

  it.each(["wrong_amount", "wrong_currency"] as const)(
    "(%s) is put aside for people and never counts as paid",
    async (effect) => {
      const shop = await newShop();
      const link = await newLink(shop);
      const session = (await press(shop, link._id)) as string;
      await script(shop.account.connection.id, "find", effect, { times: 50 });
      await choose(shop, session, "approve");
      await comeToRest(shop);
      expect((await get(shop.ctx, link._id)).paid).toBe(false);
      expect((await paymentsOf(shop))[0]).toMatchObject({
        status: "unknown",
        flags: ["amount_mismatch"],
      });
    },
  );

  it("at the opening of the hosted page is asked again under the same key", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await script(shop.account.connection.id, "begin", "reset", { times: 1 });
    expect(await begin(shop.ctx, link._id, 1)).toEqual({ kind: "no_answer" });
    const session = (await press(shop, link._id)) as string;
    expect(await paymentsOf(shop)).toHaveLength(1);
    await choose(shop, session, "approve");
    await assertBooksAgree(shop);
  });
});

describe("changing a link while a payer is at the gateway", () => {
  const changes = {
    PUT: (shop: Awaited<ReturnType<typeof newShop>>, id: string) => update(shop.ctx, id, again),
    DELETE: (shop: Awaited<ReturnType<typeof newShop>>, id: string) => remove(shop.ctx, id),
    cancel: (shop: Awaited<ReturnType<typeof newShop>>, id: string) => cancel(shop.ctx, id),
  };

  it.each(Object.keys(changes) as Array<keyof typeof changes>)(
    "(%s) closes the hosted page first: what the payer presses there takes no money",
    async (name) => {
      const shop = await newShop();
      const link = await newLink(shop);
      const session = (await press(shop, link._id)) as string;
      await changes[name](shop, link._id);
      await pressButton(session, "approve", "1");
      await comeBack(shop, session);
      expect(await chargesOf(shop, link._id)).toBe(0);
      await comeToRest(shop);
      await assertBooksAgree(shop);
    },
  );

  it.each(Object.keys(changes) as Array<keyof typeof changes>)(
    "(%s) is refused when the gateway does not cancel, and nothing changes",
    async (name) => {
      const shop = await newShop();
      const link = await newLink(shop);
      const session = (await press(shop, link._id)) as string;
      await script(shop.account.connection.id, "cancel", "error", { times: 20 });
      await expect(changes[name](shop, link._id)).rejects.toMatchObject({ status: 409 });
      expect(await get(shop.ctx, link._id)).toMatchObject({ amount: 1_250, status: "Active" });
      await choose(shop, session, "approve");
      await assertBooksAgree(shop);
    },
  );

  it.each(Object.keys(changes) as Array<keyof typeof changes>)(
    "(%s) is refused once it is paid or being processed",
    async (name) => {
      const shop = await newShop();
      const paid = await newLink(shop);
      await choose(shop, (await press(shop, paid._id)) as string, "approve");
      await expect(changes[name](shop, paid._id)).rejects.toMatchObject({ status: 409 });
      const later = await newLink(shop);
      await choose(shop, (await press(shop, later._id)) as string, "approve_later");
      await expect(changes[name](shop, later._id)).rejects.toMatchObject({ status: 409 });
      await comeToRest(shop);
      await assertBooksAgree(shop);
    },
  );
});
