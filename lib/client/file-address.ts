import type { Endpoint } from "@/lib/contract/endpoint";
import { type Asked, addressOf } from "./call";
import type { Scope } from "./scope";

/** The address of what an endpoint answers as a file or stream; a link cannot send headers, so business and mode stand in the query. */
export function fileAddress<E extends Endpoint>(endpoint: E, asked: Asked<E>, { business, mode }: Scope): string {
  const { params, query } = asked as { params?: unknown; query?: object };
  return addressOf(endpoint, { params, query: { ...query, business, mode } });
}
