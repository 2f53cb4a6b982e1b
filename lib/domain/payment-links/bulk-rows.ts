import { ne, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import type { bulkDetails } from "@/lib/contract/values";
import type { Ctx } from "../context";
import { contentOf, type Referred } from "./bulk-plan";
import { allColumns, type LinkRow, live } from "./rows";

// Addresses of links are ASCII, so both make the same small letters.
const content = sql`jsonb_build_array(${links.reference}, ${links.amount}, ${links.currency}, lower(${links.email} collate "C"))`;
const titleOf = (title: unknown) => sql`lower(btrim(${title}))`;
/** To the millisecond, as a due date is compared. */
const due = sql`coalesce(date_trunc('milliseconds', ${links.dueAt}), 'infinity')`;

type Asked = Referred & Pick<PaymentLinkInput, (typeof bulkDetails)[number]>;

/**
 * The links by which references are taken, oldest first. Each row is looked up by its reference, its content, that with its title, and that with its
 * due date too: of each the newest. A cancelled one takes no money, so it takes no reference. Thousands of links may have one content.
 */
export async function linksByReference(
  ctx: Ctx,
  asked: readonly Asked[],
  on: Executor = db,
): Promise<LinkRow[]> {
  if (asked.length === 0) return [];
  const references = [...new Set(asked.map(({ reference }) => reference))];
  const rows = asked.map((one) => ({
    content: contentOf(one),
    title: one.title,
    due: one.due_at ? new Date(one.due_at) : "infinity",
  }));
  const taken = owned(
    ctx,
    links,
    sql`${links.reference} = any(${sql.param(references)}::text[])`,
    ne(links.status, "Cancelled"),
    live,
  );
  const newestOfEach = (key: string, where = "") => {
    const group = sql.raw(key);
    return sql`(select distinct on (${group}) id from taken ${sql.raw(where)} order by ${group}, created_at desc, id desc)`;
  };
  const equal = (key: string) => newestOfEach(key, `where (${key}) in (select ${key} from asked)`);
  const newest = sql`
    with asked as materialized (
      select content::jsonb as content, ${titleOf(sql.raw("title"))} as title, due
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(content text, title text, due timestamptz)
    ), taken as materialized (
      select ${links.id} as id, ${links.reference} as reference, ${content} as content, ${titleOf(links.title)} as title, ${due} as due,
        ${links.createdAt} as created_at from ${links} where ${taken}
    )
    ${newestOfEach("reference")} union ${equal("content")} union ${equal("content, title")} union ${equal("content, title, due")}`;
  return on
    .select(allColumns)
    .from(links)
    .where(owned(ctx, links, sql`${links.id} = any(array(${newest}))`))
    .orderBy(links.createdAt, links.id);
}
