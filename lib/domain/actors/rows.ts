import { and, eq, inArray } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { users } from "@/db/schema/auth";
import { apiKeys } from "@/db/schema/businesses";
import { integrations } from "@/db/schema/integrations";
import type { Actor } from "@/db/columns";
import type { Ctx } from "../context";

const idsOf = (actors: readonly Actor[], kind: Actor["kind"]) => [
  ...new Set(actors.flatMap((actor) => (actor.kind === kind && actor.id ? [actor.id] : []))),
];

/** The names of the keys, shop plugins and people among the actors of a business's own records, by id; those that are gone are missing. */
export async function namesOf(
  ctx: Ctx,
  actors: readonly Actor[],
  on: Executor = db,
): Promise<Map<string, string>> {
  const [keyIds, userIds] = [idsOf(actors, "key"), idsOf(actors, "person")];
  const [keys, shops, people] = await Promise.all([
    keyIds.length === 0
      ? []
      : on
          .select({ id: apiKeys.id, name: apiKeys.name })
          .from(apiKeys)
          .where(and(eq(apiKeys.businessId, ctx.businessId), inArray(apiKeys.id, keyIds))),
    keyIds.length === 0
      ? []
      : on
          .select({ id: integrations.id, name: integrations.name })
          .from(integrations)
          .where(
            and(eq(integrations.businessId, ctx.businessId), inArray(integrations.id, keyIds)),
          ),
    userIds.length === 0
      ? []
      : on.select({ id: users.id, name: users.name }).from(users).where(inArray(users.id, userIds)),
  ]);
  return new Map([...keys, ...shops, ...people].map(({ id, name }) => [id, name]));
}
