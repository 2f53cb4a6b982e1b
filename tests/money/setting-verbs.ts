import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { findLink } from "@/lib/domain/payment-links/rows";
import { begin } from "@/lib/flows/checkout/steps";

/** The payer opens the page and presses pay. Returns the id of the hosted page, or undefined without one. */
export async function press(
  ctx: Ctx,
  linkId: string,
  version?: number,
): Promise<string | undefined> {
  const shown = version ?? (await findLink(ctx, linkId))?.version ?? 0;
  const begun = await begin(ctx, linkId, shown);
  return begun.kind === "redirect" ? begun.url.split("/").at(-1) : undefined;
}

/** Which attempt a hosted page belongs to, by the simulator's own record. */
export async function referenceOf(session: string): Promise<string> {
  const { rows } = await db.execute<{ reference: string }>(
    sql`select reference from simulator.sessions where page = ${session}`,
  );
  return rows[0]?.reference ?? "";
}
