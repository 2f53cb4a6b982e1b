import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "@/lib/env";
import { counter } from "./metrics";
import { Problem } from "./problem";
import { digest } from "./secrets";

const MINUTE_SECONDS = 60;
const QUARTER_HOUR_SECONDS = 15 * 60;
const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * 60 * 60;
/** Bursts of a person who opens many tabs are no flood. */
const PAGE_SECONDS = 3;

type Definition = { points: () => number; seconds: number };

// Every limit of the service: how many points one caller may take in a window. 0 points: the limit is off.
const LIMITS = {
  /** API calls of one key, or of one signed-in person. */
  key: { points: () => env.RATE_LIMIT_KEY, seconds: MINUTE_SECONDS },
  /** API calls of all keys of one business. */
  business: { points: () => env.RATE_LIMIT_BUSINESS, seconds: MINUTE_SECONDS },
  /** Costly work of one business: points by cost, not by call. */
  cost: { points: () => env.RATE_LIMIT_COST, seconds: MINUTE_SECONDS },
  /** Calls of one address that fail authentication. */
  anonymous: { points: () => env.RATE_LIMIT_ANONYMOUS, seconds: MINUTE_SECONDS },
  /** Calls of one address that could guess a secret of an account. */
  sign_in: { points: () => env.RATE_LIMIT_SIGN_IN, seconds: MINUTE_SECONDS },
  /** Failed sign-ins on one account from one address. */
  account_address: { points: () => 10, seconds: QUARTER_HOUR_SECONDS },
  /** Failed sign-ins on one account. */
  account: { points: () => 100, seconds: DAY_SECONDS },
  /** Wrong second-factor codes on one account. */
  second_factor: { points: () => 10, seconds: QUARTER_HOUR_SECONDS },
  /** Mails that anyone may ask for (reset, verification, sign-up), of one kind to one recipient. The window is no longer than a reset link lives, so no one is locked out. */
  account_mail_recipient: { points: () => 5, seconds: HOUR_SECONDS },
  /** Invitations to one recipient. */
  invitation_recipient: { points: () => 10, seconds: DAY_SECONDS },
  /** Invitations that one person sends. */
  account_mail_sender: { points: () => 50, seconds: DAY_SECONDS },
  /** Account mails that one business causes. */
  account_mail_business: { points: () => 100, seconds: DAY_SECONDS },
  /** Security notices of one kind to one recipient. */
  security_notice: { points: () => 20, seconds: DAY_SECONDS },
  /** Payer mails of one business to one recipient. */
  payer_mail_recipient: { points: () => 50, seconds: DAY_SECONDS },
  /** Requests of one address to pages and addresses that need no authentication. */
  payer_address: { points: () => env.RATE_LIMIT_PAYER, seconds: MINUTE_SECONDS },
  /** Pages of the dashboard that one address asks for, unknown paths too: each is rendered in the web thread. */
  page: { points: () => env.RATE_LIMIT_PAGE * PAGE_SECONDS, seconds: PAGE_SECONDS },
  /** Receipts of one payment that are downloaded without signing in. */
  payer_receipt: { points: () => 10, seconds: MINUTE_SECONDS },
  /** Requests to the pages of one link, from all addresses. */
  payer_link: { points: () => env.RATE_LIMIT_PAYER * 5, seconds: MINUTE_SECONDS },
} satisfies Record<string, Definition>;

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

// Counted per process. A shared store replaces the class here; callers await already.
const limiters = new Map<Limit, RateLimiterMemory>();

function limiterOf(limit: Limit): RateLimiterMemory | undefined {
  const { points, seconds } = LIMITS[limit];
  const allowed = points();
  if (allowed === 0) return undefined;
  let limiter = limiters.get(limit);
  if (!limiter) {
    limiter = new RateLimiterMemory({ points: allowed, duration: seconds });
    limiters.set(limit, limiter);
  }
  limiter.points = allowed;
  return limiter;
}

const refusals = counter(
  "kutip_limit_refusals_total",
  "Calls that a rate limit refused, by limit.",
  ["limit"],
);

const MAX_NAME_LENGTH = 80;

/** Callers choose some names (an e-mail address), so that a long one must not fill the memory. */
const nameOf = (who: string) => (who.length <= MAX_NAME_LENGTH ? who : digest(who));

const allowanceOf = (limiter: RateLimiterMemory, used: number, ms: number, points: number) => ({
  allowed: used + points <= limiter.points,
  limit: limiter.points,
  remaining: Math.max(0, limiter.points - used),
  retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
});

/** Takes points if that many are left; a refusal takes none. `who` undefined (an unknown address) is not counted. */
export async function take(limit: Limit, who: string | undefined, points = 1): Promise<Allowance> {
  const limiter = who === undefined ? undefined : limiterOf(limit);
  if (!limiter || who === undefined) return unlimited;
  try {
    const state = await limiter.consume(nameOf(who), points);
    return { ...allowanceOf(limiter, state.consumedPoints, state.msBeforeNext, 0), allowed: true };
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    refusals.inc({ limit });
    const { consumedPoints } = await limiter.reward(nameOf(who), points);
    return {
      ...allowanceOf(limiter, consumedPoints, error.msBeforeNext, points),
      allowed: false,
    };
  }
}

/** What `take` would answer, without taking anything. */
export async function peek(limit: Limit, who: string | undefined, points = 1): Promise<Allowance> {
  const limiter = who === undefined ? undefined : limiterOf(limit);
  if (!limiter || who === undefined) return unlimited;
  const state = await limiter.get(nameOf(who));
  const allowance = allowanceOf(
    limiter,
    state?.consumedPoints ?? 0,
    state?.msBeforeNext ?? 0,
    points,
  );
  if (!allowance.allowed) refusals.inc({ limit });
  return allowance;
}

/** Returns points that were taken for something that does not count after all. */
export async function giveBack(limit: Limit, who: string | undefined, points = 1): Promise<void> {
  if (who === undefined) return;
  const limiter = limiters.get(limit);
  const taken = (await limiter?.get(nameOf(who)))?.consumedPoints ?? 0;
  if (limiter && taken > 0) await limiter.reward(nameOf(who), Math.min(points, taken));
}

/** Forgets what `who` has taken, for limits that count failures in a row. */
export async function reset(limit: Limit, who: string | undefined): Promise<void> {
  if (who !== undefined) await limiters.get(limit)?.delete(nameOf(who));
}

/** Takes points and returns the X-RateLimit headers of the answer. Throws 429 with Retry-After. */
export async function consume(
  limit: Limit,
  who: string | undefined,
  points = 1,
): Promise<Record<string, string>> {
  const allowance = await take(limit, who, points);
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
