import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { env } from "@/lib/env";
import { Problem } from "@/lib/kernel/problem";

type Kind = "RATE_LIMIT_KEY" | "RATE_LIMIT_ANONYMOUS" | "RATE_LIMIT_SIGN_IN";
const limiters = new Map<Kind, RateLimiterMemory>();

function limiter(kind: Kind): RateLimiterMemory | undefined {
  if (env[kind] === 0) return undefined;
  let made = limiters.get(kind);
  if (!made) {
    made = new RateLimiterMemory({ points: env[kind], duration: 60 });
    limiters.set(kind, made);
  }
  return made;
}

function headersOf(kind: Kind, state: RateLimiterRes): Record<string, string> {
  return {
    "x-ratelimit-limit": String(env[kind]),
    "x-ratelimit-remaining": String(Math.max(0, state.remainingPoints)),
  };
}

const exceeded = (kind: Kind, state: RateLimiterRes) =>
  new Problem(429, "too_many_requests", "Too many requests.", {
    headers: {
      ...headersOf(kind, state),
      "retry-after": String(Math.max(1, Math.ceil(state.msBeforeNext / 1000))),
    },
  });

/** Takes one of this minute's requests of `who` and answers the headers that tell what is left. Throws 429. Counted per process. */
export async function consume(kind: Kind, who: string): Promise<Record<string, string>> {
  const limit = limiter(kind);
  if (!limit) return {};
  try {
    return headersOf(kind, await limit.consume(who));
  } catch (error) {
    if (error instanceof RateLimiterRes) throw exceeded(kind, error);
    throw error;
  }
}
