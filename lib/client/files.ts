import type { Endpoint } from "@/lib/contract/endpoint";
import { addressOf, type Asked } from "./call";
import type { Scope } from "./scope";

/** The address of an endpoint that answers with a file, for links, images and streams: those cannot set headers, so business and mode stand in the query. */
export function fileAddress<E extends Endpoint>(endpoint: E, { params, query }: Asked<E>, { business, mode }: Scope): string {
  return addressOf(endpoint, { params, query: { ...(query as object | undefined), business, mode } });
}
