import type { Mode } from "@/lib/contract/values";

/**
 * What comes with a request: path parameters, and the caller's address where it is known. `served` is set by our own server alone.
 * `caller` is written by the route, for the access log.
 */
export type RouteContext = {
  params?: Promise<Record<string, unknown>> | Record<string, unknown>;
  served?: true;
  clientAddress?: string;
  rawHeaders?: readonly string[];
  caller?: { businessId: number; mode: Mode };
};
export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;
