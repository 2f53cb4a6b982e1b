import { desc, ne, type SQL, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Ctx } from "../context";
import { contentOf, type Referred } from "./bulk-plan";
import { allColumns, type LinkRow, live } from "./rows";

// Addresses of links are ASCII, so both make the same small letters.
const content = sql`jsonb_build_array(${links.reference}, ${links.amount}, ${links.currency}, lower(${links.email} collate "C"))`;

/**
 * The links by which references are taken, oldest first: of each reference the newest, and of each title and due date the newest that is equal to what is
 * asked. A cancelled one takes no money, so it takes no reference. Thousands of links may have one reference.
 */
export async function linksByReference(
  ctx: Ctx,
  asked: readonly Referred[],
  on: Executor = db,
): Promise<LinkRow[]> {
  if (asked.length === 0) return [];
  const references = [...new Set(asked.map(({ reference }) => reference))];
  const contents = [...new Set(asked.map(contentOf))];
  const taken = owned(
    ctx,
    links,
    sql`${links.reference} = any(${sql.param(references)}::text[])`,
    ne(links.status, "Cancelled"),
    live,
  );
  const newestOfEach = (group: SQL, where: SQL) =>
    sql`array(select distinct on (${group}) ${links.id} from ${links} where ${where} order by ${group}, ${desc(links.createdAt)}, ${desc(links.id)})`;
  const newest = newestOfEach(sql`${links.reference}`, taken);
  const equal = newestOfEach(
    sql`${content}, ${links.title}, ${links.dueAt}`,
    sql`${taken} and ${content} = any(${sql.param(contents)}::jsonb[])`,
  );
  return on
    .select(allColumns)
    .from(links)
    .where(owned(ctx, links, sql`${links.id} = any(${newest} || ${equal})`))
    .orderBy(links.createdAt, links.id);
}
