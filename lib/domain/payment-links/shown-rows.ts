import { and, eq, sql } from "drizzle-orm";
import { batched } from "@/db/batched";
import { db } from "@/db/client";
import { givenArray } from "@/db/columns";
import { isDistributed } from "@/db/distributed";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Ctx } from "../context";
import { live, shownColumns, type ShownLink, value } from "./rows";

const find = db
  .select(shownColumns)
  .from(links)
  .where(
    and(
      sql`(${links.businessId}, ${links.mode}, ${links.id}) in (select * from unnest(${givenArray("businessIds", "integer")}, ${givenArray("modes", "text")}, ${givenArray("ids", "text")}))`,
      live,
    ),
  )
  .prepare("payment_link_find");

const findOfBusiness = db
  .select(shownColumns)
  .from(links)
  .where(
    and(
      eq(links.businessId, value("businessId")),
      eq(links.mode, value("mode")),
      sql`${links.id} = any(${givenArray("ids", "text")})`,
      live,
    ),
  )
  .prepare("payment_link_find_of_business");

const placeOf = (businessId: number, mode: string, id: string) => `${businessId} ${mode} ${id}`;

/** Where businesses are spread over servers: the links of each in a statement of its own. */
async function findOnServers(parts: readonly string[][]): Promise<ShownLink[]> {
  const lots = Map.groupBy(parts, ([businessId, mode]) => `${businessId} ${mode}`).values();
  const found = [...lots].map((lot) =>
    findOfBusiness.execute({
      businessId: Number(lot[0]?.[0]),
      mode: lot[0]?.[1],
      ids: lot.map(([, , id]) => id),
    }),
  );
  return (await Promise.all(found)).flat();
}

const findTogether = batched<ShownLink>(async (places) => {
  const parts = places.map((place) => place.split(" "));
  const rows = (await isDistributed())
    ? await findOnServers(parts)
    : await find.execute({
        businessIds: parts.map(([businessId]) => Number(businessId)),
        modes: parts.map(([, mode]) => mode),
        ids: parts.map(([, , id]) => id),
      });
  return new Map(rows.map((row) => [placeOf(row.businessId, row.mode, row.id), row]));
});

/** What the API shows of a link, read from the database every time. */
export async function findShownLink(ctx: Ctx, id: string): Promise<ShownLink | undefined> {
  return findTogether(placeOf(ctx.businessId, ctx.mode, id));
}
