import { sql } from "drizzle-orm";
import { afterAll, expect, it, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { definePaymentLookUps } from "@/lib/flows/charge/job";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { journalOf } from "@/lib/gateways/simulator/scripting";
import { createRunner } from "@/lib/jobs/runner";
import { unscopedBeat } from "@/lib/jobs/workers-rows";
import { runOnce } from "../run-once";
import { assertPeriodsAgree, newShopIn, saveMethod, subscribe } from "./subscription-setting";
import { assertBooksAgree, paymentsOf } from "./setting";

afterAll(closePool);

it("a charge that was under way in a worker is looked up by another one fifteen seconds after the first one's last heartbeat", async () => {
  const shop = await newShopIn("UTC");
  const { businessId } = shop.ctx;
  await saveMethod(shop);
  await subscribe(shop);
  await unscopedBeat("dying", 1);
  const sent = new Promise<void>((resolve) => {
    vi.spyOn(simulatorGateway, "charge").mockImplementationOnce(() => {
      resolve();
      return new Promise(() => undefined);
    });
  });
  await createRunner(renewal, { worker: "dying", only: businessId }).poll("test");
  await sent;
  const lookUps = definePaymentLookUps();
  expect(await runOnce(lookUps, businessId)).toBe(0);
  await db.execute(
    sql`update workers set seen_at = now() - interval '16 seconds' where id = 'dying'`,
  );
  expect(await runOnce(lookUps, businessId)).toBe(1);
  expect(await paymentsOf(shop)).toMatchObject([{ status: "succeeded" }]);
  await runOnce(outcomes, businessId);
  await runOnce(renewal, businessId);
  expect(await journalOf(shop.account.connection.id)).toHaveLength(1);
  await assertBooksAgree(shop);
  await assertPeriodsAgree(shop);
});

it("a charge of a worker that was only stalled arrives after another one has sent it again: the money is taken once", async () => {
  const shop = await newShopIn("UTC");
  const { businessId } = shop.ctx;
  await saveMethod(shop);
  await subscribe(shop);
  await unscopedBeat("stalled", 1);
  const { charge } = simulatorGateway;
  const sent = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  vi.spyOn(simulatorGateway, "charge").mockImplementationOnce(async (...call) => {
    sent.resolve();
    await resumed.promise;
    return charge(...call);
  });
  const stalled = createRunner(renewal, { worker: "stalled", only: businessId });
  await stalled.poll("test");
  await sent.promise;
  await db.execute(
    sql`update workers set seen_at = now() - interval '16 seconds' where id = 'stalled'`,
  );
  expect(await runOnce(definePaymentLookUps(), businessId)).toBe(1);
  expect(await paymentsOf(shop)).toMatchObject([{ status: "succeeded" }]);
  resumed.resolve();
  await stalled.drain();
  expect(await journalOf(shop.account.connection.id)).toHaveLength(1);
  await assertBooksAgree(shop);
});
