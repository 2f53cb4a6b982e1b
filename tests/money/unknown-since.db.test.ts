import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { get } from "@/lib/domain/payments/get";
import { list as listRefunds } from "@/lib/domain/payments/refunds/list";
import { resolve as resolvePayment } from "@/lib/domain/payments/resolve";
import { resolve as resolveRefund } from "@/lib/domain/payments/refunds/resolve";
import { findRefund, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { settle } from "@/lib/domain/payments/settle";
import { unscopedUnknown } from "@/lib/domain/payments/unknown-rows";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { create } from "@/lib/flows/refund/steps";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { newLink, newShop, paidPayment, paymentsOf, press } from "./setting";

afterAll(closePool);

const silent = { kind: "unknown", reason: "No answer." } as const;

const oldest = async (kind: "payments" | "refunds") =>
  (await unscopedUnknown(kind)).find(({ mode }) => mode === "test")?.oldest;

const dayAfter = (moment: string | null) => Date.parse(moment ?? "") + 24 * 3_600_000;

const refused = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ status: 409, code: "conflict" });

test("a payment that was pending for a day is unknown from the moment at which it became so, also for the alert", async () => {
  const shop = await newShop();
  await press(shop, (await newLink(shop))._id);
  const id = (await paymentsOf(shop))[0]?.id ?? "";
  const pending = await settle(shop.ctx, id, { kind: "pending", gatewayId: "" });
  expect(pending).toMatchObject({ status: "pending", unknownSince: null });
  await db.execute(
    sql`update payments set (created_at, started_at) = row(t, t) from (select now() - interval '25 hours' as t) as moment where id = ${id}`,
  );
  const { unknownSince } = await settle(shop.ctx, id, silent);
  expect(await settle(shop.ctx, id, silent)).toMatchObject({ status: "unknown", unknownSince });
  await refused(resolvePayment(shop.ctx, id, {}));
  const resolvable = async () => (await get(shop.ctx, id)).resolvable_at;
  expect(Date.parse((await resolvable()) ?? "")).toBe(dayAfter(unknownSince));
  expect(await oldest("payments")).toBeLessThan(3_600);
  await db.execute(
    sql`update payments set unknown_since = now() - interval '24 hours' where id = ${id}`,
  );
  expect(await oldest("payments")).toBeGreaterThan(23 * 3_600);
  expect(await resolvePayment(shop.ctx, id, {})).toMatchObject({ status: "failed" });
  expect((await paymentsOf(shop))[0]).toMatchObject({ unknownSince: null });
  expect(await resolvable()).toBeNull();
});

test("a refund that was pending for a day is unknown from the moment at which it became so, also for the alert", async () => {
  const shop = await newShop();
  const { connection } = shop.account;
  const { id: payment } = await paidPayment(shop);
  await script(connection.id, "refund", "pending");
  const { _id: id, status } = await create(shop.ctx, payment, { amount: 400 });
  expect(status).toBe("pending");
  await db.execute(
    sql`update refunds set (created_at, started_at) = row(t, t) from (select now() - interval '25 hours' as t) as moment where id = ${id}`,
  );
  const read = async () => (await findRefund(shop.ctx, id)) as RefundRow;
  await script(connection.id, "find", "error", { times: 2 });
  const { status: after, unknownSince } = await reconcileRefund(shop.ctx, await read());
  expect(after).toBe("unknown");
  expect(await reconcileRefund(shop.ctx, await read())).toMatchObject({ unknownSince });
  await refused(resolveRefund(shop.ctx, id, { outcome: "failed" }));
  const resolvable = async () =>
    (await listRefunds(shop.ctx, payment, {}, new URLSearchParams())).data[0]?.resolvable_at;
  expect(Date.parse((await resolvable()) ?? "")).toBe(dayAfter(unknownSince));
  expect(await oldest("refunds")).toBeLessThan(3_600);
  await db.execute(
    sql`update refunds set unknown_since = now() - interval '24 hours' where id = ${id}`,
  );
  expect(await oldest("refunds")).toBeGreaterThan(23 * 3_600);
  expect(await resolveRefund(shop.ctx, id, { outcome: "failed" })).toMatchObject({
    status: "failed",
  });
  expect(await read()).toMatchObject({ unknownSince: null });
  expect(await resolvable()).toBeNull();
});

test.each(["pending", "error", "wrong_amount"] as const)(
  "a refund that the gateway answers with %j has changed when that was learnt, not at each look",
  async (effect) => {
    const shop = await newShop();
    const { connection } = shop.account;
    const { id: payment } = await paidPayment(shop);
    await setTimes(connection, { approveAfterMs: 3_600_000 });
    await script(connection.id, "refund", effect);
    if (effect !== "pending") await script(connection.id, "find", effect, { times: 9 });
    const { _id: id } = await create(shop.ctx, payment, { amount: 400 });
    const look = async () =>
      reconcileRefund(shop.ctx, (await findRefund(shop.ctx, id)) as RefundRow);
    const { status, updatedAt, checks } = await look();
    expect(status).toBe(effect === "pending" ? "pending" : "unknown");
    expect(await look()).toMatchObject({ status, updatedAt, checks: checks + 1 });
  },
);
