import { db, type Executor } from "@/db/client";
import { env } from "@/lib/env";
import { counter } from "@/lib/kernel/metrics";
import { Problem } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { addCount, findCount, forgetCount, subtractCount } from "./rows";
import { latch, latched, sharedCount } from "./shared";

const MINUTE_SECONDS = 60;
const FIVE_MINUTES_SECONDS = 5 * 60;
const QUARTER_HOUR_SECONDS = 15 * 60;
const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * 60 * 60;
/** Bursts of a person who opens many tabs are no flood. */
const PAGE_SECONDS = 3;

type Definition = {
  points: () => number;
  seconds: number;
  /** `exact`: each call is counted in the database. `latched`: the same until one is refused, since nothing gives points of it back. */
  across: "exact" | "latched" | "shared";
};

// Every limit of the service: how many points one caller may take in a window. 0 points: the limit is off.
const LIMITS = {
  /** API calls of one key, or of one signed-in person. */
  key: { points: () => env.RATE_LIMIT_KEY, seconds: MINUTE_SECONDS, across: "shared" },
  /** API calls of all keys of one business. */
  business: { points: () => env.RATE_LIMIT_BUSINESS, seconds: MINUTE_SECONDS, across: "shared" },
  /** Costly work of one business: points by cost, not by call. */
  cost: { points: () => env.RATE_LIMIT_COST, seconds: MINUTE_SECONDS, across: "shared" },
  /** Calls of one address that fail authentication. */
  anonymous: { points: () => env.RATE_LIMIT_ANONYMOUS, seconds: MINUTE_SECONDS, across: "latched" },
  /** Calls of one address that could guess a secret of an account. */
  sign_in: { points: () => env.RATE_LIMIT_SIGN_IN, seconds: MINUTE_SECONDS, across: "latched" },
  /** Failed sign-ins on one account from one address. */
  account_address: { points: () => 10, seconds: QUARTER_HOUR_SECONDS, across: "exact" },
  /** Failed sign-ins on one account. */
  account: { points: () => 100, seconds: DAY_SECONDS, across: "exact" },
  /** Failed sign-ins with one password of a shop plugin, from one address. */
  integration: { points: () => 10, seconds: QUARTER_HOUR_SECONDS, across: "exact" },
  /** Wrong second-factor codes on one account. */
  second_factor: { points: () => 10, seconds: QUARTER_HOUR_SECONDS, across: "exact" },
  /** Mails that anyone may ask for (reset, verification, sign-up), of one kind to one recipient. The window is no longer than a reset link lives, so no one is locked out. */
  account_mail_recipient: { points: () => 5, seconds: HOUR_SECONDS, across: "exact" },
  /** Invitations to one recipient. */
  invitation_recipient: { points: () => 10, seconds: DAY_SECONDS, across: "exact" },
  /** Invitations that one person sends. */
  account_mail_sender: { points: () => 50, seconds: DAY_SECONDS, across: "exact" },
  /** Account mails that one business causes. */
  account_mail_business: { points: () => 100, seconds: DAY_SECONDS, across: "exact" },
  /** Security notices of one kind to one recipient. */
  security_notice: { points: () => 20, seconds: DAY_SECONDS, across: "exact" },
  /** Payer mails of one business to one recipient. */
  payer_mail_recipient: { points: () => 50, seconds: DAY_SECONDS, across: "exact" },
  /** Requests of one address to pages and addresses that need no authentication, those around signing in too. */
  payer_address: { points: () => env.RATE_LIMIT_PAYER, seconds: MINUTE_SECONDS, across: "shared" },
  /** Pages of the dashboard that one address asks for, unknown paths too: each is rendered in the web thread. */
  page: {
    points: () => env.RATE_LIMIT_PAGE * PAGE_SECONDS,
    seconds: PAGE_SECONDS,
    across: "shared",
  },
  /** Look-ups and closings of the payments of one link, or of the attempts of one token, that its payer causes. Gateways limit the reads of an account, some to 100 in this time. */
  payer_look_up: { points: () => 10, seconds: FIVE_MINUTES_SECONDS, across: "latched" },
  /** Receipts of one payment that are downloaded without signing in. */
  payer_receipt: { points: () => 10, seconds: MINUTE_SECONDS, across: "shared" },
  /** Requests to the pages of one link, from all addresses. */
  payer_link: { points: () => env.RATE_LIMIT_PAYER * 5, seconds: MINUTE_SECONDS, across: "shared" },
} as const satisfies Record<string, Definition>;

export type Limit = keyof typeof LIMITS;

/** What is left of a limit. `limit` and `remaining` are Infinity where the limit is off. */
export type Allowance = {
  allowed: boolean;
  limit: number;
  remaining: number;
  retryAfterSeconds: number;
};

const unlimited: Allowance = {
  allowed: true,
  limit: Infinity,
  remaining: Infinity,
  retryAfterSeconds: 0,
};

const refusals = counter(
  "kutip_limit_refusals_total",
  "Calls that a rate limit refused, by limit.",
  ["limit"],
);

const keyOf = (limit: Limit, who: string) => digest(`${limit}:${who}`);

const allowanceOf = (allowed: boolean, max: number, used: number, ms: number): Allowance => ({
  allowed,
  limit: max,
  remaining: Math.max(0, max - used),
  retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
});

/**
 * Takes points if that many are left; a refusal takes none. `who` undefined (an unknown address) is not counted. Within a transaction `on` is
 * that transaction, and its rollback gives the points back.
 */
export async function take(
  limit: Limit,
  who: string | undefined,
  points = 1,
  on: Executor = db,
): Promise<Allowance> {
  const { points: pointsOf, seconds, across } = LIMITS[limit];
  const max = pointsOf();
  if (who === undefined || max === 0) return unlimited;
  const key = keyOf(limit, who);
  const call = { points, max, seconds };
  const allowance =
    across === "shared"
      ? await sharedCount(key, call).then(({ allowed, used, ms }) =>
          allowanceOf(allowed, max, used, ms),
        )
      : await countExactly(on, key, call, across === "latched");
  if (!allowance.allowed) refusals.inc({ limit });
  return allowance;
}

async function countExactly(
  on: Executor,
  key: string,
  call: { points: number; max: number; seconds: number },
  latches: boolean,
): Promise<Allowance> {
  const { points, max } = call;
  const full = latches ? latched(key, max - points) : undefined;
  if (full) return allowanceOf(false, max, full.used, full.ms);
  const row = await addCount(on, key, { owed: 0, ...call });
  const allowed = row.taken === points;
  if (latches && !allowed) latch(key, row);
  return allowanceOf(allowed, max, row.points, row.ms);
}

/** The limits that count each call in the database, so that what was taken can be looked at and given back. */
type ExactLimit = {
  [Name in Limit]: (typeof LIMITS)[Name]["across"] extends "exact" ? Name : never;
}[Limit];

/** Whether `take` would allow one more point, without taking it. */
export async function peek(limit: ExactLimit, who: string): Promise<Allowance> {
  const max = LIMITS[limit].points();
  const found = await findCount(db, keyOf(limit, who));
  const used = found?.points ?? 0;
  const allowance = allowanceOf(used < max, max, used, found?.ms ?? 0);
  if (!allowance.allowed) refusals.inc({ limit });
  return allowance;
}

/** Returns a point that was taken for something that does not count after all. */
export async function giveBack(limit: ExactLimit, who: string | undefined): Promise<void> {
  if (who !== undefined) await subtractCount(keyOf(limit, who), 1);
}

/** Forgets what `who` has taken, for limits that count failures in a row. */
export async function reset(limit: ExactLimit, who: string): Promise<void> {
  await forgetCount(keyOf(limit, who));
}

/** Takes points and returns the X-RateLimit headers of the answer. Throws 429 with Retry-After. */
export async function consume(
  limit: Limit,
  who: string | undefined,
  points = 1,
  on: Executor = db,
): Promise<Record<string, string>> {
  const allowance = await take(limit, who, points, on);
  if (!allowance.allowed) throw tooManyRequests(allowance);
  return headersOf(allowance);
}

/** The 429 for an allowance that `take` or `peek` has refused. */
export const tooManyRequests = (allowance: Allowance, message = "Too many requests.") =>
  new Problem(429, "too_many_requests", message, {
    headers: { ...headersOf(allowance), "retry-after": String(allowance.retryAfterSeconds) },
  });

function headersOf({ limit, remaining }: Allowance): Record<string, string> {
  if (limit === Infinity) return {};
  return { "x-ratelimit-limit": String(limit), "x-ratelimit-remaining": String(remaining) };
}
