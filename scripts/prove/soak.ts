import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { closePool } from "@/db/client";
import { systemCtx } from "@/lib/domain/context";
import { type Callers, mixOf, startCallers, type Tally as Answers } from "./parts/degrade/callers";
import { tellWhole } from "./parts/degrade/trade";
import { compare, compareRefunds, settle } from "./parts/failover/settling";
import { startTraders, type Traders } from "./parts/failover/traders";
import { requireMachine } from "./parts/machine";
import { numberOption } from "./parts/options";
import { enclosed } from "./parts/partition/enclosure";
import { type Watch, watchWeb } from "./parts/partition/watch";
import { expected, prove, told } from "./parts/proof";
import { percent, withoutProtection } from "./parts/soak/controls";
import { disturb, tellDisturbances, type Tally } from "./parts/soak/disturbances";
import { CUT_OFF, ISOLATED, LAB_NEEDS, openLab } from "./parts/soak/lab";
import { type Member, processEnds, supervise, type Supervisor } from "./parts/soak/members";
import { growthOf, type Sample, sampleMemory } from "./parts/soak/memory";
import type { Place } from "./parts/soak/place";
import { openPlain } from "./parts/soak/plain";
import { randomFrom } from "./parts/soak/random";
import { compareWebhooks, eventsBeforeEndpoints, failsAndHangs } from "./parts/soak/webhooks";
import { type Receiver, takes, tell } from "./parts/webhooks";

// Mixed load on two web and two worker processes for a long time, while processes are killed and stopped, and what surrounds them fails at random.
// At the end nothing acknowledged is missing, the books are the gateway's, every webhook has arrived, and memory has hardly grown.
const IS_SHORT = process.argv.includes("--short");
const MINUTES = numberOption("minutes", IS_SHORT ? 0.5 : 8);
const SEED = numberOption("seed", randomInt(2 ** 31));
const TRADERS = 4;
const CALLERS = 2;
const ORDER_PAUSE_MS = IS_SHORT ? 300 : 500;
const CALLER_PAUSE_MS = 250;
const RENEWALS_PER_SECOND = 1;
const OUTAGE_SECONDS = IS_SHORT ? 4 : 20;
/** Shortest and longest pause in seconds between outages, and between ends of processes. */
const OUTAGE_PAUSE = IS_SHORT ? ([1, 3] as const) : ([5, 25] as const);
const END_PAUSE = IS_SHORT ? ([1, 3] as const) : ([5, 20] as const);
/** The first of each kind is not ended after this share of the time. Its memory is compared between two later parts. */
const KEPT_FROM = 0.25;
const FIRST = [0.4, 0.5] as const;
const LAST = [0.9, 1] as const;
const MOST_GROWTH = 0.2;
/** A process grows until it has done everything once: in less time memory is not compared. */
const LEAST_MINUTES = 5;
const SAMPLE_MS = 10_000;
const BACK_SECONDS = 15;
/** After this time without its Patroni a primary loses its lead. */
const TTL_SECONDS = 20;
const LIMIT_SECONDS = MINUTES * 60 + 30 * 60;

if (!IS_SHORT) requireMachine(LAB_NEEDS, { root: true });
const folder = IS_SHORT
  ? mkdtempSync(path.join(os.tmpdir(), "kutip-soak-"))
  : await enclosed("soak");
chmodSync(folder, 0o755);
const cleaners: (() => unknown)[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  console.log(`  --seed=${SEED} repeats the random choices`);
  if (IS_SHORT)
    console.log(
      "  short: without HAProxy, PgBouncer, Patroni and lost networks, which `npm run prove -- soak` adds",
    );
  const onClose = (clean: () => unknown) => cleaners.push(clean);
  const place = await (IS_SHORT ? openPlain : openLab)(folder, onClose, {
    renewals: Math.ceil(MINUTES * 60 * RENEWALS_PER_SECOND),
    renewalsPerSecond: RENEWALS_PER_SECOND,
    outageSeconds: OUTAGE_SECONDS,
    random: randomFrom(SEED, "outages"),
  });
  const { shop, urls, isBalanced, members } = place;
  const ctx = systemCtx(
    { businessId: shop.businessId, mode: "test" },
    { kind: "operator" },
    "drill",
  );
  const receivers: Receiver[] = [];
  for (const [name, manner] of Object.entries({
    "that takes all": takes,
    "that fails at times": failsAndHangs(randomFrom(SEED, "receiver")),
  })) {
    const receiver = await tell(ctx, name, manner, place.receiverHost);
    onClose(() => receiver.close());
    receivers.push(receiver);
  }
  // Renewals are charged already, also while the endpoints are made.
  const before = await eventsBeforeEndpoints(shop.businessId);
  const callers = startCallers(urls, shop.key, { count: CALLERS, pauseMs: CALLER_PAUSE_MS });
  onClose(() => callers.stop());
  const traders = startTraders(urls, shop.key, TRADERS, {
    orderPauseMs: ORDER_PAUSE_MS,
    refundEvery: 2,
    isBalanced,
  });
  onClose(() => traders.stop(0));
  const answers = callers.next();
  const supervisor = supervise(members);
  onClose(() => supervisor.stop());

  const began = performance.now();
  // A web process that is called directly may be away, so that only a load balancer shows how long there are no writes.
  const watch = isBalanced
    ? watchWeb({ name: "load balancer", url: urls[0] ?? "" }, shop.key, traders.seen.links)
    : undefined;
  const samples = await soak(place, supervisor, watch);
  await watch?.stop();
  await Promise.all([callers.stop(), traders.stop(60)]);
  tellLoad(callers, answers, traders, isBalanced, began);
  expected("processes that ended though nothing had ended them", supervisor.ended, []);
  tellMemory(members, samples);

  await settle(shop);
  const { seen } = traders;
  await compare(shop, { ...seen, links: new Map([...seen.links, ...callers.links]) });
  await compareRefunds(shop, seen);
  await compareWebhooks(shop.businessId, receivers, before);
  await tellWhole();
  await withoutProtection(folder, place, ctx, onClose);
}

/** Lets everything go wrong for the drill's time; returns samples of memory. */
async function soak(
  { members, outages }: Place,
  supervisor: Supervisor,
  watch: Watch | undefined,
): Promise<ReadonlyMap<string, Sample[]>> {
  const began = performance.now();
  const share = () => (performance.now() - began) / 60_000 / MINUTES;
  const kept = keptOf(members);
  const { samples, stop } = sampleMemory(
    kept.map(({ name, process: { pid } }) => ({ name, pid })),
    SAMPLE_MS,
  );
  const [outagesSeen, endsSeen]: [Tally, Tally] = [new Map(), new Map()];
  const isOver = () => share() >= 1;
  const ends = processEnds(
    members,
    supervisor,
    (member) => MINUTES >= LEAST_MINUTES && share() >= KEPT_FROM && kept.includes(member),
  );
  await Promise.all([
    disturb(outages, outagesSeen, {
      random: randomFrom(SEED, "order of outages"),
      pauseSeconds: OUTAGE_PAUSE,
      isOver,
      ...(watch ? { silent: watch.silent } : {}),
    }),
    disturb(ends, endsSeen, {
      random: randomFrom(SEED, "order of ends"),
      pauseSeconds: END_PAUSE,
      isOver,
    }),
  ]);
  stop();
  tellDisturbances(outagesSeen, watch && mostSilent);
  tellDisturbances(endsSeen);
  return samples;
}

/** Seconds without an acknowledged write that an outage may bring. */
function mostSilent(name: string): number {
  if (name === ISOLATED) return TTL_SECONDS + BACK_SECONDS;
  // The web process on the other machine may be stopped meanwhile.
  if (name === CUT_OFF) return OUTAGE_SECONDS + BACK_SECONDS;
  return BACK_SECONDS;
}

/** The first process of each kind. */
function keptOf(members: readonly Member[]): Member[] {
  return members.filter(({ name }) => name.endsWith(" 1"));
}

function tellLoad(
  callers: Callers,
  answers: Answers,
  { seen }: Traders,
  isBalanced: boolean,
  began: number,
): void {
  const minutes = (performance.now() - began) / 60_000;
  const requests = callers.requests() + seen.requests;
  told(
    "load: requests a second, minutes",
    `${(requests / minutes / 60).toFixed(1)}, ${minutes.toFixed(1)}; load average ${os.loadavg()[0]?.toFixed(1)}`,
  );
  told(
    `load: ${mixOf(CALLERS)}; ${TRADERS} shops with a payer`,
    `links ${seen.creates}, payments ${seen.payments}, reads ${seen.reads}, refunds ${seen.refunds.size}; ${RENEWALS_PER_SECOND} renewal a second`,
    seen.payments > 0,
  );
  // In a short run it may be that no fault meets such a call.
  told(
    "calls repeated under their key",
    seen.repeated,
    seen.repeated > 0 || MINUTES < LEAST_MINUTES,
  );
  told("longest request, s", (seen.longestRequestMs / 1_000).toFixed(1));
  told("longest call with its repetitions, s", (seen.longestCallMs / 1_000).toFixed(1));
  const ofLoadBalancer = ["502", "503 without Retry-After", "504"];
  const allowed = (answer: string) =>
    answer === "200" ||
    answer === "503" ||
    answer.startsWith("no answer") ||
    (isBalanced && ofLoadBalancer.includes(answer));
  const wrong = Object.entries(answers).flatMap(([kind, { counts }]) =>
    Object.keys(counts)
      .filter((answer) => !allowed(answer))
      .map((answer) => `${kind}: ${answer}`),
  );
  expected("answers that should never be given", [...seen.wrong, ...wrong], []);
  for (const [kind, { counts }] of Object.entries(answers)) {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    told(
      `calls without repetition: ${kind}, of which with success`,
      `${all}, ${percent((counts["200"] ?? 0) / all)}`,
    );
  }
}

function tellMemory(
  members: readonly Member[],
  samples: ReadonlyMap<string, readonly Sample[]>,
): void {
  if (MINUTES < LEAST_MINUTES) {
    told("memory", `not compared in less than ${LEAST_MINUTES} minutes`);
    return;
  }
  for (const { name } of keptOf(members)) {
    const { firstBytes, lastBytes, share } = growthOf(samples.get(name) ?? [], FIRST, LAST);
    const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
    told(
      `memory of ${name}, MB: ${percent(FIRST[0])} to ${percent(FIRST[1])} of the time, last tenth`,
      `${mb(firstBytes)}, ${mb(lastBytes)}: ${percent(share)}`,
      share <= MOST_GROWTH,
    );
  }
}

async function cleanUp(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of cleaners.reverse()) await clean();
  if (!IS_SHORT) return;
  if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
