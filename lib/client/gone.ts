import { ApiProblem } from "./problem";

/** Whether the API has no such record: it never had one, or the record was deleted. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 404;

/** The answer of a record that an erasure deletes: once the API has it no more, the cached one is not shown either. */
export const withoutGone = <A extends { data: unknown; error: unknown }>(answer: A) => ({
  ...answer,
  data: isGone(answer.error) ? undefined : answer.data,
});
