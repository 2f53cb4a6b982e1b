import { eq } from "drizzle-orm";
import { db } from "@/db/client";
import { businesses } from "@/db/schema/businesses";
import type { Ctx } from "./context";

/** The zone of the business. Shared, since some nouns with exports may not import businesses. */
export async function zoneOf({ businessId }: Ctx): Promise<string> {
  const [row] = await db
    .select({ timeZone: businesses.timeZone })
    .from(businesses)
    .where(eq(businesses.id, businessId));
  if (!row) throw new Error("an export of a business that does not exist");
  return row.timeZone;
}
