import { asc, eq } from "drizzle-orm";
import * as z from "zod";
import { db } from "@/db/client";
import { events } from "@/db/schema/events";
import { Event } from "@/lib/contract/events";
import { presentEvent } from "@/lib/domain/events/present";
import { openEvents } from "@/lib/domain/payers/rows";

/** The types of a business's events, in order. Throws where the data of one is not as the OpenAPI document says for its type. */
export async function checkedEventTypes(businessId: number): Promise<string[]> {
  const rows = await db
    .select()
    .from(events)
    .where(eq(events.businessId, businessId))
    .orderBy(asc(events.xid), asc(events.seq));
  return (await openEvents(rows)).map((row) => {
    const found = Event.safeParse(presentEvent(row));
    if (!found.success) throw new Error(`${row.type}: ${z.prettifyError(found.error)}`);
    return row.type;
  });
}
