import { mkdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { create as createPackage } from "@/lib/domain/packages/create";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { chargeDue } from "@/lib/domain/subscriptions/engine/run";
import { get } from "@/lib/domain/subscriptions/get";
import { provideEnv } from "@/lib/env";
import { physicalBackup } from "@/lib/operator/physical-backup";
import { physicalRestore } from "@/lib/operator/physical-restore";
import { completeInstall } from "@/lib/supervisor/install";
import { newStripeShop, paymentsOf, type StripeShop, savedAtStripe } from "./money/stripe-setting";
import { payer } from "./money/subscription-setting";
import { runningPeer } from "./stripe-peer/running";

// Servers are made and started here, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const work = path.join(os.tmpdir(), `kutip-restore-${process.pid}`);
const source = path.join(work, "source");
const target = path.join(work, "target");
const file = path.join(work, "backup.tar.gz");
const settings = { fsync: "off", shared_buffers: "32MB" };
const peer = runningPeer();

beforeAll(async () => {
  mkdirSync(work);
  const { url } = await startCluster(source, { settings });
  provideEnv({ DATABASE_URL: url, KUTIP_SECRET: "", KUTIP_DATA_DIR: source });
  await completeInstall({ places: placesIn(source), embedded: true, startedHere: true });
});

afterAll(async () => {
  await closePool();
  stopCluster(source);
  stopCluster(target);
  rmSync(work, { recursive: true, force: true });
});

const taken = ({ bank }: StripeShop) =>
  bank.intents.filter(({ status }) => status === "succeeded").length;

/** Puts the backup in place and goes on with it, Stripe having forgotten every key if `keysForgotten`. */
async function goBack(keysForgotten: boolean): Promise<void> {
  await closePool();
  stopCluster(target);
  rmSync(target, { recursive: true, force: true });
  await physicalRestore(target, file, false);
  await closePool();
  const { url } = await startCluster(target, { settings });
  provideEnv({ DATABASE_URL: url });
  if (keysForgotten) peer.forgetKeys();
}

test.each([false, true])(
  "what was charged after a backup is not charged again once it is restored, but found at the gateway once that answers (keys forgotten: %s)",
  async (keysForgotten) => {
    const { url } = await startCluster(source, { settings });
    await closePool();
    provideEnv({ DATABASE_URL: url });
    const shop = await newStripeShop(peer);
    await savedAtStripe(shop);
    const { _id: packageId } = await createPackage(shop.ctx, {
      name: "Membership",
      amount: 1_250,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: "2020-01-01",
    });
    const { _id } = await subscribe(shop.ctx, { package_id: packageId, email: payer });
    rmSync(file, { force: true });
    await physicalBackup(placesIn(source), file);
    await chargeDue("restore-test", shop.ctx.businessId);
    expect([taken(shop), (await get(shop.ctx, _id)).status]).toEqual([1, "active"]);
    const [before] = await paymentsOf(shop);

    await goBack(keysForgotten);
    expect((await get(shop.ctx, _id)).status).toBe("created");
    peer.lose("GET /v1/payment_intents");
    await chargeDue("restore-test", shop.ctx.businessId);
    expect([taken(shop), await paymentsOf(shop)]).toEqual([1, []]);
    await db.execute(
      sql`update subscription_periods set next_attempt_at = next_attempt_at - interval '10 minutes' where business_id = ${shop.ctx.businessId}`,
    );
    await chargeDue("restore-test", shop.ctx.businessId);
    expect([taken(shop), (await get(shop.ctx, _id)).status]).toEqual([1, "active"]);
    const [after] = await paymentsOf(shop);
    expect([after?.id, after?.gatewayId, after?.status]).toEqual([
      before?.id,
      before?.gatewayId,
      "succeeded",
    ]);
    const { rows } = await db.execute<{ sum: string }>(
      sql`select sum(amount) from ledger_entries where business_id = ${shop.ctx.businessId}`,
    );
    expect(Number(rows[0]?.sum)).toBe(0);
  },
);
