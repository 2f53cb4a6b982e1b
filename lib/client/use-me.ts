"use client";

import type { Role } from "@/lib/contract/values";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Operation } from "@/lib/contract/endpoint";
import type { Me } from "@/lib/contract/me";
import { reach } from "./call";
import type { ApiProblem } from "./problem";
import { dropContents } from "./sent";
import { useMaybeScope } from "./use-scope";

const freshMs = 60_000;

/** As `keys.call(null, getMe, {})`. Written out, since every page reads it and the declaration would bring all of zod along. */
export const meKey = ["api", null, null, "Account", "getMe", { params: null, query: {} }] as const;
export const meAddress = "/api/me";

/**
 * Reads who is signed in. What another account has sent from this browser loses its contents, by whichever way this one came in.
 * Throws ApiProblem.
 */
export async function readMe(signal?: AbortSignal): Promise<Me> {
  const { data } = (await reach(meAddress, {
    ...(signal ? { signal } : {}),
    credentials: "same-origin",
    headers: { accept: "application/json" },
  })) as { data: Me };
  dropContents((_, account) => account !== data.user._id);
  return data;
}

/** Who is signed in, with their businesses. A 401 is an error here like any other. */
export function useMe(): UseQueryResult<Me, ApiProblem> {
  return useQuery<Me, ApiProblem>({
    queryKey: meKey,
    queryFn: ({ signal }) => readMe(signal),
    staleTime: freshMs,
  });
}

type Business = Me["businesses"][number];

/** The business of this console page as its member sees it; `may(endpoint)` hides what would be refused. */
export function useMembership(): {
  business: Business | undefined;
  role: Role | undefined;
  may: (endpoint: Pick<Operation, "roles">) => boolean;
} {
  const scope = useMaybeScope();
  const { data } = useMe();
  const business = data?.businesses.find(
    ({ business_id }) => String(business_id) === scope?.business,
  );
  return {
    business,
    role: business?.role,
    may: ({ roles }) => business !== undefined && roles.includes(business.role),
  };
}
