import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "@/lib/domain/context";
import { compareBooks } from "../failover/books";
import { createLink, writesBack } from "../failover/probes";
import { chargesOf, keptOf } from "../failover/shop";
import { startTraders } from "../failover/traders";
import type { OnClose } from "../drill-parts";
import { until } from "../patroni/cluster";
import { processOf } from "../processes";
import { told } from "../proof";
import { freePort } from "../service";
import { type Receiver, tell } from "../webhooks";
import { growthOf, sampleMemory } from "./memory";
import type { Place } from "./place";
import { eventIds, undelivered } from "./webhooks";

const PATIENCE_SECONDS = 90;
const LEAK_SECONDS = 8;
const TRADE_SECONDS = 4;
const TRADERS = 4;
// 40 MB a second.
const LEAK =
  "data:text/javascript,globalThis.kept=[];setInterval(()=>kept.push(Buffer.alloc(4e6,1)),100)";

/** Each check on an install that lacks what it is for: a webhook that is not taken, a leak, a database that loses commits. */
export async function withoutProtection(
  folder: string,
  place: Place,
  ctx: Ctx,
  onClose: OnClose,
): Promise<void> {
  await findsUndelivered(place, ctx, onClose);
  await findsLeak(folder, place, onClose);
  await findsLosses(place, onClose);
}

async function findsUndelivered({ shop, ...place }: Place, ctx: Ctx, onClose: OnClose) {
  const before = new Set(await eventIds(shop.businessId));
  const refuses: Receiver = await tell(ctx, "refuses", (answer) => answer(500), place.receiverHost);
  onClose(() => refuses.close());
  await until("link", PATIENCE_SECONDS, () =>
    createLink(place.urls[0] ?? "", shop.key, "Its event is refused"),
  );
  await until("webhook", PATIENCE_SECONDS, async () => refuses.requests > 0 || undefined);
  const missing = await undelivered(shop.businessId, refuses, before);
  told("a receiver that refuses: not delivered", missing.length, missing.length > 0);
}

async function findsLeak(folder: string, { aside }: Place, onClose: OnClose): Promise<void> {
  const leaking = processOf(
    "worker",
    {
      ...aside,
      METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
      NODE_OPTIONS: `${aside.NODE_OPTIONS} --import=${LEAK}`,
    },
    { log: path.join(folder, "leaking.log") },
  );
  onClose(() => leaking.kill());
  await leaking.start();
  const { samples, stop } = sampleMemory([{ name: "leaking", pid: leaking.pid }], 250);
  await pause(LEAK_SECONDS * 1_000);
  stop();
  await leaking.kill();
  const { share } = growthOf(samples.get("leaking") ?? [], [0.4, 0.5], [0.9, 1]);
  told("a process that leaks: growth of its memory", percent(share), share > 0.2);
}

/** What an acknowledged write relies on is switched off, and the database dies. */
async function findsLosses(place: Place, onClose: OnClose): Promise<void> {
  const { shop, urls, isBalanced, webs } = place;
  await place.unprotect();
  const traders = startTraders(urls, shop.key, TRADERS, { name: "unprotected", isBalanced });
  onClose(() => traders.stop(0));
  await pause(TRADE_SECONDS * 1_000);
  const since = performance.now();
  await place.crash();
  await writesBack(webs, shop.key, since, PATIENCE_SECONDS, traders.seen.links);
  await traders.stop(30);
  const found = compareBooks(
    { links: traders.seen.links, payments: traders.seen.paid },
    chargesOf(shop),
    await keptOf(shop),
  );
  told("commits that do not wait: links acknowledged", traders.seen.links.size);
  told("commits that do not wait: acknowledged and lost", found.lost.length, found.lost.length > 0);
  told("commits that do not wait: charges that Kutip lacks", found.unbooked.length);
}

/** A share as people read it. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
