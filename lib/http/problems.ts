import { log } from "@/lib/kernel/log";
import { Problem, unavailable } from "@/lib/kernel/problem";

// What Postgres and the sockets to it say when it is away, starting, stopping, full or out of connections; and Citus while it moves rows.
const away =
  /^(08|57P0|53|25006|57014|40001|40P01|55P03|58030|XX001|CIINF)|^(ECONN|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const awayMessages =
  /timeout exceeded when trying to connect|^timeout expired$|Connection terminated|Client has encountered a connection error|connection is not queryable|could not find valid entry for shard/i;

function isAway(error: unknown): boolean {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 5;
    cause = cause.cause, depth++
  ) {
    if (cause instanceof AggregateError && cause.errors.some(isAway)) return true;
    const code = (cause as { code?: unknown }).code;
    if ((typeof code === "string" && away.test(code)) || awayMessages.test(cause.message))
      return true;
  }
  return false;
}

/** Any failure as one the caller may see: a Problem stays, a missing database is 503, all else is logged and becomes 500. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (isAway(error)) {
    log.warn({ request_id: requestId, err: error }, "database unavailable");
    return unavailable(error);
  }
  log.error({ request_id: requestId, err: error }, "request failed");
  return new Problem(500, "internal_error", "Something went wrong on our side.");
}

/** The body of a failure: the 422 has exactly `message` and `errors`, every other one `message`, `code` and `errors`, which are empty but for shop plugins. */
export function problemBody(problem: Problem): string {
  if (problem.status === 422)
    return JSON.stringify({ message: problem.message, errors: problem.options.errors ?? {} });
  const { message, code, options } = problem;
  return JSON.stringify({ message, code, errors: options.errors ?? {}, ...options.details });
}
