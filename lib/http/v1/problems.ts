import type { Problem } from "@/lib/kernel/problem";
import { respond } from "../respond";

/** What a route is about: its own failures have this name in the map of errors. */
export type Subject = "payment_link" | "webhook_event" | "integration" | "email" | "address";

const nameOf = ({ status }: Problem, subject: Subject): string => {
  switch (status) {
    case 401:
      return "authorization";
    case 400:
    case 413:
    case 415:
      return "body";
    case 405:
      return "method";
    case 429:
      return "limit";
    case 500:
    case 503:
      return "service";
    default:
      return subject;
  }
};

/** A failure as plugins read it: they show the first text of the first array in `errors`, and break on any other shape. */
export function pluginProblemBody(problem: Problem, subject: Subject): string {
  const { message, options } = problem;
  const errors = Object.entries(options.errors ?? {});
  return JSON.stringify({
    message,
    errors:
      errors.length > 0 ? Object.fromEntries(errors) : { [nameOf(problem, subject)]: [message] },
  });
}

/** A failure at `/api/v1`. */
export const failPlugin = (
  problem: Problem,
  subject: Subject,
  headers: Record<string, string>,
): Response =>
  respond(problem.status, pluginProblemBody(problem, subject), {
    ...headers,
    ...problem.options.headers,
  });

/** Whether a path belongs to the interface of shop plugins. */
export const isPluginPath = (path: string): boolean => /^\/api\/v1(?:\/|$)/.test(path);
