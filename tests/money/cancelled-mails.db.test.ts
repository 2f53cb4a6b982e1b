import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { get as getMail, list as listMails } from "@/lib/domain/mails/list";
import { mailComposition } from "@/lib/flows/mailing/job";
import { update } from "@/lib/flows/subscription-change/update";
import { runAll } from "../run-once";
import { newShopIn, saveMethod, subscribe, work } from "./subscription-setting";

afterAll(closePool);

test.each([
  ["pending", true],
  ["works", false],
] as const)(
  "the mail about a cancelled subscription whose charge is %s promises no more than is known of that charge",
  async (behaviour, mayStill) => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, behaviour, "ana@example.com");
    const { _id } = await subscribe(shop, {}, undefined, "ana@example.com");
    await work(shop);
    await update(shop.ctx, _id, { status: "cancel" });
    await runAll(mailComposition, shop.ctx.businessId);
    const { data } = await listMails(
      shop.ctx,
      { kind: "subscription_cancelled" },
      new URLSearchParams(),
    );
    const { text } = await getMail(shop.ctx, data[0]?._id ?? "");
    expect(text?.includes("A payment that had already started may still be taken.")).toBe(mayStill);
    expect(text).toContain("not be charged for it again");
  },
);
