import { ApiProblem } from "./problem";

/** Whether the API has no such record: it never had one, or the record was deleted. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 404;

type Answer<D> = { data: D | undefined; error: unknown; refetch: () => unknown };

/** The answer of a record that an erasure deletes: once the API has it no more, the cached one is not shown either. */
export const withoutGone = <D>({ data, error, refetch }: Answer<D>): Answer<D> => ({
  data: isGone(error) ? undefined : data,
  error,
  refetch,
});
