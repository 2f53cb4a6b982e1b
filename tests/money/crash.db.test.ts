import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { get } from "@/lib/domain/payment-links/get";
import { begin } from "@/lib/flows/activation/steps";
import { reconcileReference } from "@/lib/flows/activation/reconcile";
import { referenceOf } from "@/lib/domain/tokenizations/rules";
import { pressButton } from "@/lib/gateways/simulator/page";
import { journalOf } from "@/lib/gateways/simulator/scripting";
import { program } from "./killed";
import {
  assertBooksAgree,
  chargesOf,
  choose,
  comeToRest,
  newLink,
  newShop,
  paidPayment,
  paymentsOf,
  press,
  refundsOf,
  type Shop,
} from "./setting";

const child = program("crash-child");
const { run } = child;

beforeAll(child.make);
afterAll(child.remove);

async function wordsOf(shop: Shop, verb: string, target: string): Promise<number> {
  const end = await run(verb, String(shop.ctx.businessId), target);
  return Number(end.out.replace("done ", ""));
}

// Every place is one process; a full run takes them all, the daily one every eighth and both sides of each.
const step = process.env.KUTIP_CRASH_EVERY ? Number(process.env.KUTIP_CRASH_EVERY) : 8;
const places = (words: number) =>
  Array.from({ length: words }, (_, index) => index + 1).filter(
    (place) => place % step === words % step,
  );

it("a process killed at any moment of a payer's payment takes the money at most once and loses nothing", async () => {
  const first = await newShop();
  const words = await wordsOf(first, "pay", (await newLink(first))._id);
  expect(words).toBeGreaterThan(20);
  await assertBooksAgree(first);
  for (const place of places(words)) {
    for (const when of ["before", "after"]) {
      const shop = await newShop();
      const link = await newLink(shop);
      const end = await run("pay", String(shop.ctx.businessId), link._id, String(place), when);
      expect(end.killed || place === words).toBe(true);
      // The payer, who saw nothing but a broken page, tries again.
      const session = await press(shop, link._id);
      if (session) await choose(shop, session, "approve");
      await comeToRest(shop);
      await assertBooksAgree(shop);
      expect(await chargesOf(shop, link._id)).toBe(1);
      expect((await get(shop.ctx, link._id)).paid).toBe(true);
    }
  }
}, 300_000);

async function activeToken(shop: Shop): Promise<string> {
  const made = await createToken(shop.ctx, {
    email: "saver@example.com",
    title: "Saved",
    description: "Saved method",
  });
  const begun = await begin(made.token, "crash-test");
  if (begun.kind !== "redirect") throw new Error("the activation has no hosted page");
  await pressButton(begun.url.split("/").at(-1) ?? "", "approve", "0");
  await reconcileReference(shop.ctx, shop.account.connection.id, referenceOf(made._id, 1));
  return made._id;
}

it("a process killed at any moment of charging a token charges it once, and the same key returns that charge", async () => {
  const first = await newShop();
  const words = await wordsOf(first, "charge", await activeToken(first));
  expect(words).toBeGreaterThan(10);
  for (const place of places(words)) {
    for (const when of ["before", "after"]) {
      const shop = await newShop();
      const token = await activeToken(shop);
      const end = await run("charge", String(shop.ctx.businessId), token, String(place), when);
      expect(end.killed || place === words).toBe(true);
      await db.execute(
        sql`update idempotency_keys set locked_until = now() where business_id = ${shop.ctx.businessId}`,
      );
      // The client repeats its call with the same key.
      await run("charge", String(shop.ctx.businessId), token);
      await comeToRest(shop);
      await assertBooksAgree(shop);
      expect((await journalOf(shop.account.connection.id)).length).toBe(1);
      expect(await paymentsOf(shop)).toHaveLength(1);
    }
  }
}, 300_000);

it("a process killed at any moment of a refund gives the money back once, and the same key returns that refund", async () => {
  const first = await newShop();
  const words = await wordsOf(first, "refund", (await paidPayment(first)).id);
  expect(words).toBeGreaterThan(10);
  for (const place of places(words)) {
    for (const when of ["before", "after"]) {
      const shop = await newShop();
      const { id } = await paidPayment(shop);
      const end = await run("refund", String(shop.ctx.businessId), id, String(place), when);
      expect(end.killed || place === words).toBe(true);
      await db.execute(
        sql`update idempotency_keys set locked_until = now() where business_id = ${shop.ctx.businessId}`,
      );
      // The client repeats its call with the same key.
      await run("refund", String(shop.ctx.businessId), id);
      await comeToRest(shop);
      await assertBooksAgree(shop);
      expect((await refundsOf(shop)).map(({ status, amount }) => [status, amount])).toEqual([
        ["succeeded", 400],
      ]);
    }
  }
}, 300_000);

it("a refund is finished by the worker, or never started, when its process is killed and the call is not repeated", async () => {
  const first = await newShop();
  const words = await wordsOf(first, "refund", (await paidPayment(first)).id);
  for (const place of places(words)) {
    const shop = await newShop();
    const { id } = await paidPayment(shop);
    await run("refund", String(shop.ctx.businessId), id, String(place), "after");
    await comeToRest(shop);
    await assertBooksAgree(shop);
    expect((await refundsOf(shop)).every(({ status }) => status === "succeeded")).toBe(true);
  }
}, 300_000);
