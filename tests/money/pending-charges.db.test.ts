import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { get as getMail, list as listMails } from "@/lib/domain/mails/list";
import { list as listPayments } from "@/lib/domain/payments/list";
import { payerEmailOf } from "@/lib/domain/payments/payer-rows";
import { receipt } from "@/lib/domain/payments/receipt";
import { list as statementLines } from "@/lib/domain/statements/list";
import { mailComposition } from "@/lib/flows/mailing/job";
import { update } from "@/lib/flows/subscription-change/update";
import { runAll } from "../run-once";
import { comeToRest, paymentsOf } from "./setting";
import { behave, newShopIn, passDays, saveMethod, subscribe, work } from "./subscription-setting";

afterAll(closePool);

const [old, other] = ["old@example.com", "other@example.com"];

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

test("a charge for a link, of a subscription that has another payer by then, stays the old payer's in each document", async () => {
  const shop = await newShopIn("UTC");
  const method = await saveMethod(shop, "needs_payer", old);
  const { _id } = await subscribe(shop, {}, undefined, old);
  await work(shop);
  await passDays(shop, 1.1);
  await behave(shop, method, "pending");
  await work(shop);
  expect((await update(shop.ctx, _id, { email: other })).payment_links).toMatchObject([
    { status: "Processing", email: other },
  ]);
  await comeToRest(shop);
  await work(shop);
  const payment = (await paymentsOf(shop)).find(({ status }) => status === "succeeded");
  const id = payment?.id ?? "";
  await runAll(mailComposition, shop.ctx.businessId);
  const mails = await listMails(shop.ctx, { kind: "receipt" }, new URLSearchParams());
  expect(mails.data.map(({ recipient }) => recipient)).toEqual([old]);
  expect((await receipt(shop.ctx, id)).payer).toEqual([old]);
  expect(payment && (await payerEmailOf(shop.ctx, payment))).toBe(old);
  const ofPayer = async (email: string) =>
    (await listPayments(shop.ctx, { email }, new URLSearchParams())).data.map((one) => one._id);
  expect([(await ofPayer(old)).includes(id), await ofPayer(other)]).toEqual([true, []]);
  const month = payment?.succeededAt?.slice(0, 7) ?? "";
  const lines = await statementLines(shop.ctx, month, {}, new URLSearchParams());
  expect(lines.data.map(({ email }) => email)).toEqual([old]);
});
