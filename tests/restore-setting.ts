import { mkdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import type { PaymentSearch } from "@/db/settings";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { provideEnv } from "@/lib/env";
import { callbacks } from "@/lib/flows/callback/job";
import { begin } from "@/lib/flows/checkout/steps";
import { searchPayments } from "@/lib/flows/payment-search/steps";
import { physicalBackup } from "@/lib/operator/physical-backup";
import { physicalRestore } from "@/lib/operator/physical-restore";
import { completeInstall } from "@/lib/supervisor/install";
import { comeBack, type StripeShop } from "./money/stripe-setting";
import { payer } from "./money/subscription-setting";
import { runOnce } from "./run-once";
import { runningPeer } from "./stripe-peer/running";

// Servers are made and started here, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const work = path.join(os.tmpdir(), `kutip-restore-${process.pid}`);
const source = path.join(work, "source");
const target = path.join(work, "target");
const file = path.join(work, "backup.tar.gz");
const settings = { fsync: "off", shared_buffers: "32MB" };
export const peer = runningPeer();

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

/** How many payments took money at Stripe. */
export const taken = ({ bank }: StripeShop) =>
  bank.intents.filter(({ status }) => status === "succeeded").length;

/** Puts the backup in place and goes on with it, Stripe having forgotten every key if `keysForgotten`. */
export async function goBack(keysForgotten: boolean): Promise<void> {
  await closePool();
  stopCluster(target);
  rmSync(target, { recursive: true, force: true });
  await physicalRestore(target, file, false);
  await closePool();
  const { url } = await startCluster(target, { settings });
  provideEnv({ DATABASE_URL: url });
  if (keysForgotten) peer.forgetKeys();
}

/** Back on the server from which backups are made. */
export async function atSource(): Promise<void> {
  const { url } = await startCluster(source, { settings });
  provideEnv({ DATABASE_URL: url });
  await closePool();
}

export async function backUp(): Promise<void> {
  rmSync(file, { force: true });
  await physicalBackup(placesIn(source), file);
}

export const AMOUNT = 1_250;

export async function newLinkId({ ctx }: StripeShop): Promise<string> {
  const { _id } = await createLink(ctx, {
    email: payer,
    currency: "MYR",
    amount: AMOUNT,
    title: "Satay for two",
    send_email: false,
  });
  return _id;
}

/** A payer at Stripe's page for a link; what to press it by, and the attempt's id. */
export async function pageFor({ ctx }: StripeShop, linkId: string) {
  const begun = await begin(ctx, linkId, 1);
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where payment_link_id = ${linkId} order by started_at desc`,
  );
  return { session: begun.url.split("/").at(-1) ?? "", id: rows[0]?.id ?? "" };
}

export async function payFor(shop: StripeShop, linkId: string): Promise<string> {
  const { session, id } = await pageFor(shop, linkId);
  shop.bank.press(session, "approve");
  expect((await comeBack(shop, id)).status).toBe("succeeded");
  return id;
}

export const changeSearch = (change: Partial<PaymentSearch>) =>
  db.execute(
    sql`update settings set value = (value::jsonb || ${JSON.stringify(change)}::jsonb)::text where key = 'payment_search'`,
  );
export const LONG_AGO = "2020-01-01T00:00:00.000Z";

/** A worker's next search, due now. */
export async function search(): Promise<void> {
  await changeSearch({ next_at: LONG_AGO });
  await searchPayments("restore-test");
}

/** The callbacks of a business that are not done are worked now. */
export async function workCallbacks({ ctx }: StripeShop): Promise<void> {
  await db.execute(
    sql`update gateway_events set next_try_at = now() where next_try_at is not null`,
  );
  await runOnce(callbacks, ctx.businessId);
}
