import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Ctx } from "../context";
import { allColumns, type LinkRow, payable } from "./rows";

/** Lets the calls of an integration about one reference go one after the other, until the transaction ends. */
export async function lockReference(
  { businessId }: Ctx,
  tx: Tx,
  integrationId: string,
  reference: string,
): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`payment-links of ${businessId} ${integrationId} ${reference}`}, 0))`,
  );
}

/** The newest link of an integration that asks the same payer for the same, and can be paid or has a payment under way. */
export async function equalOpenLink(
  ctx: Ctx,
  tx: Tx,
  integrationId: string,
  link: Pick<LinkRow, "reference" | "reference2" | "amount" | "currency" | "email">,
): Promise<LinkRow | undefined> {
  const [row] = await tx
    .select(allColumns)
    .from(links)
    .where(
      owned(
        ctx,
        links,
        eq(links.integrationId, integrationId),
        sql`${links.reference} = ${link.reference}`,
        sql`${links.reference2} is not distinct from ${link.reference2}`,
        eq(links.amount, link.amount),
        eq(links.currency, link.currency),
        sql`lower(${links.email}) = lower(${link.email})`,
        or(payable, and(isNull(links.deletedAt), eq(links.status, "Processing"))),
      ),
    )
    .orderBy(desc(links.createdAt), desc(links.id))
    .limit(1);
  return row;
}
