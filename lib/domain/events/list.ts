import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import type { Event, EventQuery } from "@/lib/contract/events";
import { env } from "@/lib/env";
import { type FieldErrors, invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentEvent } from "./present";
import { countEvents, eventsAfter, findEvent, listEvents } from "./rows";

/** Events newest first, or with `after` ascending and complete. Throws 422 on `after` for an event this business does not have. */
export async function list(
  ctx: Ctx,
  query: EventQuery,
  search: URLSearchParams,
): Promise<Page<Event>> {
  if (query.after !== undefined) return after(ctx, query, query.after, search);
  return listPage(ctx, {
    path: "/events",
    search,
    query,
    readsAll: setsOneOf(query, "type"),
    present: presentEvent,
    fetch: (walk) => listEvents(ctx, query, walk),
    count: () => countEvents(ctx, query),
  });
}

const refusedAfter = { after: ["The selected after is invalid."] };

/** Refuses an `after` that is no event of this business. */
export async function validateAgainstRecords(
  ctx: Ctx,
  { after: id }: Partial<EventQuery>,
): Promise<FieldErrors> {
  return id === undefined || (await findEvent(ctx, id)) ? {} : refusedAfter;
}

async function after(
  ctx: Ctx,
  query: EventQuery,
  id: string,
  search: URLSearchParams,
): Promise<Page<Event>> {
  const from = await findEvent(ctx, id);
  if (!from) throw invalid(refusedAfter);
  const perPage = query.per_page ?? 15;
  const rows = await eventsAfter(ctx, query, from, perPage + 1);
  const shown = rows.slice(0, perPage);
  const path = `${env.BASE_URL}/api/events`;
  const next = new URLSearchParams(search);
  next.set("after", shown.at(-1)?.id ?? id);
  return {
    data: shown.map(presentEvent),
    path,
    per_page: perPage,
    next_cursor: null,
    next_page_url: rows.length > perPage ? `${path}?${next}` : null,
    prev_cursor: null,
    prev_page_url: null,
  };
}
