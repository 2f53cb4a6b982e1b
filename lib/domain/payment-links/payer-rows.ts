import { and, eq, inArray, sql } from "drizzle-orm";
import { batched } from "@/db/batched";
import { db, type Executor } from "@/db/client";
import { givenArray } from "@/db/columns";
import { businessesOf, directory, entryOf } from "@/db/directory";
import { isDistributed } from "@/db/distributed";
import { owned } from "@/db/owned";
import { inOrder, setwise } from "@/db/sets";
import { type Key, touch } from "@/db/touch";
import { businesses } from "@/db/schema/businesses";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Ctx } from "../context";
import { allColumns, linkNow, type LinkRow, shownColumns } from "./rows";

const entry = entryOf("payment_link", links, links.id);

/** A link, deleted or not. */
export const findLinkEver = (
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<LinkRow | undefined> => findEver(ctx, on, id);

const findEver = setwise<Ctx, string, LinkRow | undefined>(async (ctx, on, ids) => {
  const rows = await on
    .select(allColumns)
    .from(links)
    .where(owned(ctx, links, inArray(links.id, [...ids])));
  return inOrder(ids, rows, String, ({ id }) => id);
});

const forPayer = {
  link: {
    ...shownColumns,
    openPaymentId: links.openPaymentId,
    firstOpenedAt: links.firstOpenedAt,
    deletedAt: links.deletedAt,
  },
  business: {
    name: businesses.name,
    accent: businesses.accent,
    logo: businesses.logo,
    supportEmail: businesses.supportEmail,
    supportPhone: businesses.supportPhone,
    timeZone: businesses.timeZone,
  },
  over: sql<boolean>`coalesce(${links.expiresAt} <= ${linkNow}, false)`,
};
const findForPayer = db
  .select(forPayer)
  .from(directory)
  .innerJoin(links, entry)
  .innerJoin(businesses, eq(businesses.id, links.businessId))
  .where(sql`${directory.key} = any(${givenArray("ids", "text")})`)
  .prepare("payment_link_for_payer");
const findOfBusiness = db
  .select(forPayer)
  .from(links)
  .innerJoin(businesses, eq(businesses.id, links.businessId))
  .where(
    and(
      eq(links.businessId, sql.placeholder("businessId")),
      sql`${links.id} = any(${givenArray("ids", "text")})`,
    ),
  )
  .prepare("payment_link_of_business");

/** Where businesses are spread over servers: the links of each in a statement of its own. */
async function findOnServers(ids: readonly string[]): Promise<PayerLink[]> {
  const places = await businessesOf("payment_link", ids);
  const byBusiness = Map.groupBy(places, ([, businessId]) => businessId);
  const rows = await Promise.all(
    [...byBusiness].map(([businessId, some]) =>
      findOfBusiness.execute({ businessId, ids: some.map(([id]) => id) }),
    ),
  );
  return rows.flat();
}

export type PayerLink = Awaited<ReturnType<typeof findForPayer.execute>>[number];

/** For the payer's page: the link and its business. `over`: its expiry has passed. Read from the database every time. */
export const unscopedPayerLink: (id: string) => Promise<PayerLink | undefined> = batched(
  async (ids) => {
    const rows = (await isDistributed())
      ? await findOnServers(ids)
      : await findForPayer.execute({ ids });
    return new Map(rows.map((row) => [row.link.id, row]));
  },
);

/** For the mail job: a mail server accepted a mail that asks for the payment of this link. */
export async function unscopedMarkMailed(businessId: number, id: string): Promise<void> {
  await db
    .update(links)
    .set({ mailed: true })
    .where(and(eq(links.businessId, businessId), eq(links.id, id), eq(links.mailed, false)));
}

/** For the batch writer: when payers first opened their links. Returns those that were locked. */
export const unscopedMarkOpened = (list: readonly Key[]): Promise<Key[]> =>
  touch(links, links.firstOpenedAt, list, { once: true });
