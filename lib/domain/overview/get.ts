import { replicaRead } from "@/db/replica";
import type { Overview, OverviewCurrency, OverviewQuery } from "@/lib/contract/overview";
import { attentionKinds, overviewDays } from "@/lib/contract/values";
import { invalid } from "@/lib/kernel/problem";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import {
  attention,
  linkStages,
  type AttentionRow,
  openLinks,
  type PerCurrency,
  type PerDay,
  recurring,
  stepsDone,
  type Stages,
  sumsPerDay,
  today,
} from "./rows";

const dayMs = 86_400_000;
const shifted = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Money over a range of days in the business's zone, what needs attention, and the first steps. Throws 422 on `to` for a range that is none. */
export const overview = (ctx: Ctx, query: OverviewQuery): Promise<Overview> =>
  replicaRead(() => read(ctx, query));

async function read(ctx: Ctx, query: OverviewQuery): Promise<Overview> {
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a business that does not exist");
  const { timeZone, defaultCurrency } = business;
  const to = query.to ?? (await today(timeZone));
  const from = query.from ?? shifted(to, 1 - overviewDays.default);
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (length < 1 || length > overviewDays.max) throw invalid({ to: ["The to range is invalid."] });
  const days = Array.from({ length }, (_, index) => shifted(from, index));
  const range = { from, to, timeZone };
  const [received, failed, open, subscribed, stages] = await Promise.all([
    sumsPerDay(ctx, "collected", { ...range, from: shifted(from, -length) }, query.currency),
    sumsPerDay(ctx, "failed", range, query.currency),
    openLinks(ctx, query.currency),
    recurring(ctx, query.currency),
    linkStages(ctx, range, query.currency),
  ]);
  const [collected, previous] = [
    received.filter(({ day }) => day >= from),
    received.filter(({ day }) => day < from),
  ];
  const [wanting, done] = await Promise.all([attention(ctx), stepsDone(ctx)]);
  const used = new Set([
    query.currency ?? defaultCurrency,
    ...[collected, failed, open, subscribed, stages]
      .flatMap((rows) => rows.map(({ currency }) => currency))
      .sort(),
  ]);
  return {
    from,
    to,
    time_zone: timeZone,
    default_currency: defaultCurrency,
    currencies: [...used].map((currency) =>
      ofCurrency(currency, days, { collected, previous, failed, open, subscribed, stages }),
    ),
    attention: grouped(wanting),
    steps: [
      { step: "link_created", done: done.link },
      { step: "api_key_used", done: done.key },
      { step: "link_paid", done: done.paid },
      {
        step: "pages_branded",
        done: [business.accent, business.logo, business.supportEmail, business.supportPhone].some(
          (value) => value !== null,
        ),
      },
      { step: "colleague_invited", done: done.colleague },
    ],
  };
}

type Sums = {
  collected: PerDay[];
  previous: PerDay[];
  failed: PerDay[];
  open: PerCurrency[];
  subscribed: PerCurrency[];
  stages: (Stages & { currency: string })[];
};

const noLinks: Stages = { created: 0, mailed: 0, opened: 0, tried: 0, paid: 0 };

function ofCurrency(currency: string, days: readonly string[], sums: Sums): OverviewCurrency {
  const of = <T extends { currency: string }>(rows: readonly T[]) =>
    rows.filter((row) => row.currency === currency);
  const byDay = (rows: readonly PerDay[]) => new Map(of(rows).map((row) => [row.day, row]));
  const both = (rows: readonly { currency: string; sum: number; count: number }[]) =>
    of(rows).reduce((all, { sum, count }) => ({ sum: all.sum + sum, count: all.count + count }), {
      sum: 0,
      count: 0,
    });
  const [collected, previous, failed, open, subscribed] = [
    both(sums.collected),
    both(sums.previous),
    both(sums.failed),
    both(sums.open),
    both(sums.subscribed),
  ];
  const { currency: _, ...links } = of(sums.stages)[0] ?? { currency, ...noLinks };
  const [collectedOn, failedOn] = [byDay(sums.collected), byDay(sums.failed)];
  return {
    currency,
    collected: collected.sum,
    collected_count: collected.count,
    previous_collected: previous.sum,
    previous_collected_count: previous.count,
    open: open.sum,
    open_count: open.count,
    failed: failed.sum,
    failed_count: failed.count,
    recurring: subscribed.sum,
    recurring_count: subscribed.count,
    links,
    days: days.map((day) => ({
      day,
      collected: collectedOn.get(day)?.sum ?? 0,
      collected_count: collectedOn.get(day)?.count ?? 0,
      failed_count: failedOn.get(day)?.count ?? 0,
    })),
  };
}

function grouped(rows: readonly AttentionRow[]): Overview["attention"] {
  return attentionKinds.flatMap((kind) => {
    const latest = rows.filter((row) => row.kind === kind);
    return latest.length === 0
      ? []
      : [
          {
            kind,
            count: latest[0]?.total ?? 0,
            latest: latest.map(({ kind: _, total: __, ...one }) => one),
          },
        ];
  });
}
