import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db, longWork } from "@/db/client";
import { quantile } from "./parts/doors/client";
import { NOISY_MIX, type QuietCall, startNoise, watchQuiet } from "./parts/noisy";
import { expected, prove, told } from "./parts/proof";
import { type Service, startService } from "./parts/service";
import { openShop } from "./parts/shop";

// One business sends bulk calls, exports, searches and lists as fast as it is answered. Another one's calls may take half as long again
// as without it, and no longer. With the limits off they take longer.
const ROUNDS = 2;
const WINDOW_SECONDS = 30;
/** Limits count by the minute: after one, the noisy business is at its limit, and not in the burst before it. */
const NOISE_SECONDS = 60;
const MOST = 1.5;
const LINKS = 100_000;
const LIMIT_SECONDS = 15 * 60;
const LIMITED = { RATE_LIMIT_PAYER: "0" };
const OFF = {
  RATE_LIMIT_KEY: "0",
  RATE_LIMIT_BUSINESS: "0",
  RATE_LIMIT_COST: "0",
  RATE_LIMIT_PAYER: "0",
  RATE_LIMIT_TIME: "0",
};

let service: Service | undefined;

await prove(
  async () => {
    console.log(`  ${NOISY_MIX}`);
    // Payers of the quiet business come from many addresses; here they have one.
    const limited = await ratio(LIMITED);
    told(`p95 with noise, as a multiple: at most ${MOST}`, limited.toFixed(2), limited <= MOST);
    const unlimited = await ratio(OFF);
    told("the same without limits", unlimited.toFixed(2), unlimited > MOST);
  },
  () => service?.stop(),
  LIMIT_SECONDS,
);

/** How many times longer the quiet business's calls take beside the noisy one. Windows with and without noise take turns, so that the machine is the same for both. */
async function ratio(limits: Record<string, string>): Promise<number> {
  // The install before this one left its secret in this process.
  service = await startService({ ...limits, KUTIP_SECRET: "" });
  service.join();
  const [quiet, noisy] = [await openShop("Quiet Bakery"), await openShop("Night Market")];
  await longWork(() => fill(noisy.businessId));
  await watchQuiet(service.url, quiet, WINDOW_SECONDS);
  const calm: QuietCall[] = [];
  const busy: QuietCall[] = [];
  let [done, refused] = [0, 0];
  const other: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    calm.push(...(await watchQuiet(service.url, quiet, WINDOW_SECONDS)));
    const noise = startNoise(service.url, noisy);
    await pause(NOISE_SECONDS * 1_000);
    busy.push(...(await watchQuiet(service.url, quiet, WINDOW_SECONDS)));
    const seen = await noise.stop();
    done += seen.done;
    refused += seen.refused;
    other.push(...seen.other);
  }
  await service.stop();
  service = undefined;
  const p95 = (calls: readonly QuietCall[]) =>
    quantile(
      calls.map(({ ms }) => ms),
      0.95,
    );
  told("processor load", os.loadavg()[0]?.toFixed(1));
  told("noisy calls done, refused with 429, others", `${done}, ${refused}, ${other.length}`);
  told(
    "quiet calls, p95 ms without and with noise",
    `${p95(calm).toFixed(1)}, ${p95(busy).toFixed(1)}`,
  );
  expected(
    "quiet calls that failed",
    [...calm, ...busy].flatMap(({ status }) => (status === 200 ? [] : status)),
    [],
  );
  return p95(busy) / p95(calm);
}

async function fill(businessId: number): Promise<void> {
  await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, created_at)
    select ${businessId}, 'test', '00000001' || lpad(to_hex(i::bigint), 16, '0'), 'payer' || i || '@example.com', 'MYR', 500 + i % 90000,
      'Order ' || i, now() - interval '1 day' - make_interval(secs => ${LINKS}::int - i)
    from generate_series(1, ${LINKS}::int) i`);
  await db.execute(sql`vacuum analyze payment_links`);
}
