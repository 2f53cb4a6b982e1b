"use client";

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Endpoint } from "@/lib/contract/endpoint";
import { getMe, type Me } from "@/lib/contract/me";
import { call } from "./call";
import { keys } from "./keys";
import type { ApiProblem } from "./problem";
import { useMaybeScope } from "./use-scope";

const freshMs = 60_000;

/** Who is signed in, with their businesses. A 401 is an error here like any other. */
export function useMe(): UseQueryResult<Me, ApiProblem> {
  return useQuery<Me, ApiProblem>({ queryKey: keys.call(null, getMe, {}), queryFn: ({ signal }) => call(getMe, {}, { scope: null, signal }), staleTime: freshMs });
}

type Business = Me["businesses"][number];

/** The business of this console page as its member sees it; `may(endpoint)` hides what would be refused. */
export function useMembership(): { business: Business | undefined; may: (endpoint: Endpoint) => boolean } {
  const scope = useMaybeScope();
  const { data } = useMe();
  const business = data?.businesses.find(({ business_id }) => String(business_id) === scope?.business);
  return { business, may: ({ roles }) => business !== undefined && roles.includes(business.role) };
}
