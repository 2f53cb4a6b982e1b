import os from "node:os";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import type { StripePeer } from "@/tests/stripe-peer/peer";
import { workerBack, writesBack } from "../failover/probes";
import { compare, settle } from "../failover/settling";
import { type GatewayShop, openGatewayShop } from "../failover/shop";
import { startTraders, type Traders } from "../failover/traders";
import { expected, told } from "../proof";
import { type Callers, mixOf, startCallers } from "./callers";

const TRADERS = 2;
const RENEWALS_PER_SECOND = 1;
const PATIENCE_SECONDS = 90;

/** The processes of an install under trade, by their ids while they run as they were started. */
export type Pids = { web: () => number | undefined; worker: () => number | undefined };

/** A shop with callers, payers and renewals that go on until the books are compared. */
export type Trade = {
  url: string;
  shop: GatewayShop;
  callers: Callers;
  traders: Traders;
  pids: Pids;
  /** Seconds from `since` until writes are acknowledged and the worker reports. */
  back: (since: number) => Promise<{ writes: number; worker: number }>;
  /** Ends it, waits until all has an outcome, and compares the books with the gateway's journal. */
  close: () => Promise<void>;
  /** Ends it at once. */
  abandon: () => Promise<void>;
};

/** Starts one at the install of this process's database. */
export async function startTrade(
  peer: StripePeer,
  url: string,
  pids: Pids,
  renewals: number,
): Promise<Trade> {
  const shop = await openGatewayShop(peer, url, { renewals, perSecond: RENEWALS_PER_SECOND });
  const started = [pids.web(), pids.worker()];
  const began = performance.now();
  const callers = startCallers([url], shop.key);
  const traders = startTraders([url], shop.key, TRADERS);
  const close = async () => {
    await Promise.all([callers.stop(), traders.stop(60)]);
    const minutes = (performance.now() - began) / 60_000;
    const { seen } = traders;
    told(
      "load: requests a second, minutes",
      `${((callers.requests() + seen.requests) / minutes / 60).toFixed(1)}, ${minutes.toFixed(1)}; load average ${os.loadavg()[0]?.toFixed(1)}`,
    );
    told(
      `load: ${mixOf()}; ${TRADERS} shops with a payer: links, payments, reads`,
      `${seen.creates}, ${seen.payments}, ${seen.reads}; ${RENEWALS_PER_SECOND} renewal a second`,
      seen.payments > 0,
    );
    expected("answers that should never be given", seen.wrong, []);
    await settle(shop);
    expected("ids of web and worker process", [pids.web(), pids.worker()], started);
    await compare(shop, { ...seen, links: new Map([...seen.links, ...callers.links]) });
    await tellWhole();
    expected("periods charged before their time", await chargedEarly(shop.businessId), 0);
  };
  return {
    url,
    shop,
    callers,
    traders,
    pids,
    back: async (since) => {
      const web = [{ name: "web", url }];
      const [[writes = Number.POSITIVE_INFINITY], worker] = await Promise.all([
        writesBack(web, shop.key, since, PATIENCE_SECONDS, callers.links),
        workerBack("worker", { pid: pids.worker }, since, PATIENCE_SECONDS),
      ]);
      return { writes, worker };
    },
    close,
    abandon: async () => void (await Promise.all([callers.stop(), traders.stop(0)])),
  };
}

/** No money was half written: the ledger balances and agrees with the payments, and every change has its one event. */
export async function tellWhole(): Promise<void> {
  const ledger = await unscopedLedgerState();
  told("ledger entries", ledger.entries, ledger.entries > 0);
  expected(
    "postings that do not sum to zero, payments booked otherwise",
    [ledger.lopsided, ledger.disagreeing],
    [0, 0],
  );
  const { rows } = await db.execute<{ missing: number; invented: number }>(sql`
    with changes as (
        select 'payment_link.created' as type, id as object_id from payment_links
        union all select 'payment_link.paid', id from payment_links where status = 'Paid'
        union all select 'payment.succeeded', id from payments where succeeded_at is not null
        union all select 'payment.refunded', payment_id from refunds where status = 'succeeded'),
      told as (select type, object_id from events where type in (select type from changes))
    select (select count(*) from (select * from changes except all select * from told) as missing)::int as missing,
      (select count(*) from (select * from told except all select * from changes) as invented)::int as invented`);
  expected("changes without their one event, events without a change", rows[0], {
    missing: 0,
    invented: 0,
  });
}

/** The first period of each subscription is due in the drill, the others weeks later. */
async function chargedEarly(businessId: number): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from subscription_periods where business_id = ${businessId} and number > 1 and fence > 0`,
  );
  return rows[0]?.n ?? 0;
}
