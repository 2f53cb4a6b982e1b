import type { Operation } from "@/lib/contract/endpoint";
import { addressOf } from "./call";
import { newIdempotencyKey } from "./idempotency";
import { ApiProblem, isRefusal } from "./problem";
import type { Scope } from "./scope";

type Call = { scope: Scope | null; endpoint: Operation; input: Parameters<typeof addressOf>[1] };

/** Keys of calls that ended without an answer of the API, by business, mode and path. */
const open = new Map<string, { key: string; address: string; at: number }>();

/** Later a press is another wish: a stored answer would say that a mail is on its way where none is. */
const KEPT_MS = 5 * 60_000;

/**
 * Sends a call under a key. The next call of that path has the same key until the API answers, for some minutes: pressing again after a lost answer
 * does nothing twice. Throws what `send` throws, in words for a person where the earlier call is in the way.
 */
export async function underKeptKey<T>(
  { scope, endpoint, input }: Call,
  send: (key: string) => Promise<T>,
): Promise<T> {
  const address = addressOf(endpoint, input);
  const path = addressOf(endpoint, { params: input.params });
  const name = `${scope?.business} ${scope?.mode} ${endpoint.method} ${path}`;
  const earlier = open.get(name);
  const kept = earlier && Date.now() - earlier.at <= KEPT_MS ? earlier : undefined;
  // The server takes a key at another address for another one: it would run both without a word.
  if (kept && kept.address !== address) {
    open.delete(name);
    throw new ApiProblem(0, "settled_first", `An earlier request had no answer. ${lookFirst}`);
  }
  const key = kept?.key ?? newIdempotencyKey();
  const answered = () => {
    if (open.get(name)?.key === key) open.delete(name);
  };
  try {
    const data = await send(key);
    answered();
    return data;
  } catch (problem) {
    if (kept ? settlesKey(problem) : isRefusal(problem)) answered();
    else open.set(name, { key, address, at: Date.now() });
    throw problem instanceof ApiProblem ? inWords(problem) : problem;
  }
}

/**
 * Whether a refusal says what came of the earlier call too. Those for the session, the role, the rate or the form come before the server looks
 * at the key.
 */
const settlesKey = (problem: unknown) =>
  isRefusal(problem) && (problem.status === 409 || problem.errors.idempotency_key !== undefined);

const lookFirst = "Look at what came of it, then send this one if you still want to.";

function inWords(problem: ApiProblem): ApiProblem {
  const text = problem.errors.idempotency_key
    ? `An earlier request, which had no answer, has arrived. ${lookFirst}`
    : problem.code === "idempotency_in_progress"
      ? "The earlier request is still being worked on. Try again in a moment."
      : undefined;
  return text === undefined ? problem : new ApiProblem(0, problem.code, text);
}
