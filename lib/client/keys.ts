import type { Operation } from "@/lib/contract/endpoint";
import type { Scope } from "./scope";

type Loose = { params?: unknown; query?: unknown };

/** Query keys, from wide to narrow: a business, one mode of it, a tag of the contract, an endpoint, one call of it. */
export const keys = {
  business: (business: string | null) => ["api", business] as const,
  scope: (scope: Scope | null) =>
    [...keys.business(scope?.business ?? null), scope?.mode ?? null] as const,
  tag: (scope: Scope | null, tag: string) => [...keys.scope(scope), tag] as const,
  endpoint: (scope: Scope | null, endpoint: Operation) =>
    [...keys.tag(ownScope(scope, endpoint), endpoint.tag), endpoint.id] as const,
  importProgress: (scope: Scope | null, importId: string) =>
    [...keys.scope(scope), "import progress", importId] as const,
  call: (scope: Scope | null, endpoint: Operation, { params, query }: Loose) =>
    [
      ...keys.endpoint(scope, endpoint),
      { params: params ?? null, query: withoutEmpty(query) },
    ] as const,
};

/** What a person has is the same whichever business is looked at. */
export const ownScope = (scope: Scope | null, { access }: Operation): Scope | null =>
  access === "person" || access === "public" ? null : scope;

/** So that a filter that is not set and one that is absent are the same call. */
function withoutEmpty(query: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((query ?? {}) as Record<string, unknown>).filter(
      ([, value]) => value !== undefined && value !== null && value !== "",
    ),
  );
}
