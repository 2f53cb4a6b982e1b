import { addressOf, type Asked, type Known } from "./call";
import type { Scope } from "./scope";

/** The address of an endpoint that returns a file, for links, images and streams. These cannot set headers, so business and mode are in the query. */
export function fileAddress<O extends Known>(
  endpoint: O,
  { params, query }: Asked<O>,
  { business, mode }: Scope,
): string {
  return addressOf(endpoint, {
    params,
    query: { ...(query as object | undefined), business, mode },
  });
}
