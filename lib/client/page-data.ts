import { dehydrate, type DehydratedState, QueryClient } from "@tanstack/react-query";
import { pageReads } from "@/lib/kernel/page-reads";
import { addressOf, type Asked, type Data, type Known } from "./call";
import { keys, ownScope } from "./keys";
import { type Scope, scopeOf } from "./scope";

/** A GET that a page makes on the server; the browser gets its answer with the page. */
export type PageRead = {
  endpoint: Known;
  input: { params?: unknown; query?: unknown };
  /** What is read once its answer is known. */
  next?: (data: unknown) => readonly PageRead[];
};

/** Names a read; the input is that of the page's own `useEndpoint`. */
export const reading = <O extends Known>(
  endpoint: O,
  input: Asked<O>,
  next?: (data: Data<O>) => readonly PageRead[],
): PageRead => ({
  endpoint,
  input,
  ...(next ? { next: next as (data: unknown) => readonly PageRead[] } : {}),
});

/** The business and the mode that a page's parameters name; undefined where they name none. A business has a number. */
export const scopeOfParams = ({ business, mode }: { business: string; mode: string }) =>
  /^\d{1,15}$/.test(business) ? scopeOf(`/b/${business}/${mode}`) : undefined;

/**
 * Runs the reads of a page on the server and gives what the query cache of the browser begins with. What is refused or fails is left out:
 * the browser asks for it and shows why.
 */
export async function readForPage(
  scope: Scope | undefined,
  reads: readonly PageRead[],
): Promise<DehydratedState> {
  const client = new QueryClient();
  const from = pageReads();
  if (!from || !scope) return dehydrate(client);
  const readAll = async (wanted: readonly PageRead[]): Promise<void> => {
    await Promise.all(wanted.map(readOne));
  };
  const readOne = async ({ endpoint, input, next }: PageRead): Promise<void> => {
    const own = ownScope(scope, endpoint);
    const headers: Record<string, string> = own
      ? { "x-kutip-business": own.business, "x-kutip-mode": own.mode }
      : {};
    const answer = await from.read(addressOf(endpoint, input), headers);
    if (!answer.ok) return void (await answer.body?.cancel());
    const { data } = (await answer.json()) as { data: unknown };
    client.setQueryData(keys.call(scope, endpoint, input), data);
    if (next) await readAll(next(data));
  };
  await readAll(reads);
  return dehydrate(client);
}
