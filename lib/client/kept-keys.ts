import { newIdempotencyKey } from "./idempotency";
import { ApiProblem, isRefusal } from "./problem";

/** Keys of calls that ended without an answer of the API, by the call's name. */
const open = new Map<string, string>();

/**
 * Sends a call under a key. The next call of that name has the same key until the API answers: pressing again after a lost answer does nothing
 * twice. Throws what `send` throws, in words for a person where the earlier call is in the way.
 */
export async function underKeptKey<T>(name: string, send: (key: string) => Promise<T>): Promise<T> {
  const kept = open.get(name);
  const key = kept ?? newIdempotencyKey();
  const answered = () => {
    if (open.get(name) === key) open.delete(name);
  };
  try {
    const data = await send(key);
    answered();
    return data;
  } catch (problem) {
    if (kept ? settlesKey(problem) : isRefusal(problem)) answered();
    else open.set(name, key);
    throw problem instanceof ApiProblem ? inWords(problem) : problem;
  }
}

/**
 * Whether a refusal says what came of the earlier call too. Those for the session, the role, the rate or the form come before the server looks
 * at the key.
 */
const settlesKey = (problem: unknown) =>
  isRefusal(problem) && (problem.status === 409 || problem.errors.idempotency_key !== undefined);

function inWords(problem: ApiProblem): ApiProblem {
  const text = problem.errors.idempotency_key
    ? "An earlier request, which had no answer, has arrived. Look at what came of it, then send this one if you still want to."
    : problem.code === "idempotency_in_progress"
      ? "The earlier request is still being worked on. Try again in a moment."
      : undefined;
  return text === undefined ? problem : new ApiProblem(0, problem.code, text);
}
