import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { nothingYet, trade } from "./parts/customers";
import { hurryPayments, openWork } from "./parts/open-work";
import { expected, prove, told, waitWhileMoving } from "./parts/proof";
import { startService, type Victim, victims } from "./parts/service";

// A running install under load; its database, web and worker processes are killed at random again and again: nothing acknowledged is lost.
const seconds = Number(process.env.PROVE_SECONDS ?? 90);
const customers = 6;

const service = await startService();
const promised = nothingYet();
const STILL_SECONDS = 60;
let over = false;

await prove(
  async () => {
    const began = performance.now();
    const trading = Array.from({ length: customers }, (_, number) =>
      trade(service, `c${number}`, promised, () => over),
    );
    const killed = new Map<Victim, number>();
    const next: Victim[] = [];
    let longest = 0;
    while (performance.now() - began < seconds * 1_000) {
      await pause(1_500 + Math.random() * 2_000);
      if (next.length === 0) next.push(...victims);
      const [what] = next.splice(Math.floor(Math.random() * next.length), 1) as [Victim];
      service.kill(what);
      killed.set(what, (killed.get(what) ?? 0) + 1);
      const from = performance.now();
      await pause(50);
      // The next one dies while the last is hardly up, but not before: else nothing would ever be asked of it.
      while (!(await service.healthy())) await pause(100);
      longest = Math.max(longest, performance.now() - from);
    }
    over = true;
    service.join();
    await settleDown(trading);

    for (const what of victims) told(what, killed.get(what) ?? 0, killed.has(what));
    told("seconds until healthy again, at most", (longest / 1_000).toFixed(1));
    told("calls made, of which not answered with 200", `${promised.calls}, ${promised.refused}`);
    told("orders acknowledged", promised.links.size, promised.links.size > customers * 3);
    told("refunds acknowledged", promised.refunds.size, promised.refunds.size > 0);
    expected("answers that should never be given", promised.wrong, []);
    await lookAtBooks();
  },
  () => service.stop(),
  seconds + 300,
);

/** Every customer finishes the current order, and the worker its current work; only waits are shortened. */
async function settleDown(trading: Promise<void>[]): Promise<void> {
  let trades = true;
  void Promise.all(trading).finally(() => (trades = false));
  await waitWhileMoving(
    async () => {
      await db.execute(sql`update idempotency_keys set locked_until = now() where answer is null`);
      if (!trades) await hurryPayments();
      return { trades, open: await openWork() };
    },
    (found) => !found.trades && found.open.length === 0,
    STILL_SECONDS,
  );
}

async function lookAtBooks(): Promise<void> {
  const { rows: links } = await db.execute<{ reference: string; id: string; title: string }>(
    sql`select reference, id, title from payment_links where deleted_at is null`,
  );
  const kept = new Map(links.map((link) => [link.reference, link]));
  const lost = [...promised.links].filter(
    ([reference, link]) =>
      kept.get(reference)?.id !== link._id || kept.get(reference)?.title !== link.title,
  );
  expected(
    "acknowledged orders lost or otherwise than acknowledged",
    lost.map(([reference]) => reference),
    [],
  );
  expected("orders made twice", links.length - kept.size, 0);
  const [books] = (
    await db.execute<Record<string, number>>(sql`
      with charges as (select reference, amount, currency from simulator.journal where type = 'charge'), given as (select reference, amount, currency from simulator.journal where type = 'refund'),
        paid as (select id, amount, currency from payments where succeeded_at is not null), back as (select payment_id, amount, currency from refunds where status = 'succeeded'),
        changes as (
          select 'payment_link.created' as type, id as object_id from payment_links
          union all select 'payment_link.updated', id from payment_links where version > 1
          union all select 'payment_link.paid', id from payment_links where status = 'Paid'
          union all select 'payment.succeeded', id from paid
          union all select 'payment.refunded', payment_id from back),
        told as (select type, object_id from events where type in (select type from changes))
      select (select count(*) from paid)::int as paid,
        (select count(*) from charges full join paid on paid.id = charges.reference and paid.amount = charges.amount and paid.currency = charges.currency where paid.id is null or charges.reference is null)::int as apart,
        (select count(*) from charges)::int - (select count(distinct reference) from charges)::int as twice,
        (select count(*) from payment_links where status = 'Paid')::int - (select count(*) from paid join payments using (id) where flags = '{}')::int as unpaid,
        (select count(*) from (select * from given except all select * from back) as more)::int + (select count(*) from (select * from back except all select * from given) as less)::int as refunds_apart,
        (select count(*) from (select * from changes except all select * from told) as missing)::int as unwritten,
        (select count(*) from (select * from told except all select * from changes) as invented)::int as invented`)
  ).rows;
  told("payments succeeded", books?.paid, (books?.paid ?? 0) > 0);
  expected("charges at the gateway that differ from our payments", books?.apart, 0);
  expected("payments charged twice at the gateway", books?.twice, 0);
  expected("links paid without one payment, or the other way round", books?.unpaid, 0);
  expected("refunds at the gateway that differ from the records", books?.refunds_apart, 0);
  const { rows: refunded } = await db.execute<{ payment_id: string; n: number; sum: number }>(
    sql`select payment_id, count(*)::int as n, sum(amount)::int as sum from refunds where status = 'succeeded' group by 1`,
  );
  const sums = new Map(refunded.map((row) => [row.payment_id, row.sum]));
  expected(
    "acknowledged refunds lost or given twice",
    [...promised.refunds.values()].filter(({ paymentId, amount }) => sums.get(paymentId) !== amount)
      .length,
    0,
  );
  expected(
    "state changes without their one event, events without a change",
    [books?.unwritten, books?.invented],
    [0, 0],
  );
  const ledger = await unscopedLedgerState();
  told("ledger entries", ledger.entries);
  expected(
    "postings that do not sum to zero, payments booked otherwise",
    [ledger.lopsided, ledger.disagreeing],
    [0, 0],
  );
}
