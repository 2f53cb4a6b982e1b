import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { auditEntries as entries } from "@/db/schema/team";
import { type Mode, modes } from "@/lib/contract/values";

const of = (businessId: number, actions: string[]) =>
  and(eq(entries.businessId, businessId), inArray(entries.action, actions));
const details = sql`${entries.details}::jsonb`;
const by = (userId: string) => sql`${entries.actorId} = ${userId}`;
const byOthers = (userId: string) => sql`${entries.actorId} is distinct from ${userId}`;
/** The position of the newest of the entries that match; 0 without one. */
const newest = (...matching: SQL[]) =>
  sql<string>`coalesce(max(${entries.seq}) filter (where ${sql.join(matching, sql` and `)}), 0)`.mapWith(
    Number,
  );

/** What a member knows of a webhook endpoint: that they chose where it sends to, and were the last to be shown its secret. */
export type KnownEndpoint = { id: string; address: boolean; secret: boolean };

/** The endpoints of both modes, deleted ones too. Calls of API keys leave no entry, so what a program has changed since still counts as known. */
export async function endpointsKnownTo(
  on: Executor,
  businessId: number,
  userId: string,
): Promise<KnownEndpoint[]> {
  const [create, update, rotate] = [
    "createWebhookEndpoint",
    "updateWebhookEndpoint",
    "rotateWebhookEndpoint",
  ];
  const [mine, others] = [by(userId), byOthers(userId)];
  // Earlier entries name the fields that were sent, and not whether they differed.
  const mayChange = sql`${details} @> '{"fields":["url"]}' and coalesce(${details} ->> 'url_changed', 'true') = 'true'`;
  const rows = await on
    .select({
      id: entries.objectId,
      chosen: newest(
        mine,
        sql`(${entries.action} = ${create} or (${entries.action} = ${update} and ${mayChange}))`,
      ),
      replaced: newest(
        others,
        sql`${entries.action} = ${update} and ${details} ->> 'url_changed' = 'true'`,
      ),
      shown: newest(mine, sql`${entries.action} in (${create}, ${rotate})`),
      rotated: newest(others, sql`${entries.action} = ${rotate}`),
    })
    .from(entries)
    .where(and(of(businessId, [create, update, rotate]), isNotNull(entries.objectId)))
    .groupBy(entries.objectId);
  return rows
    .map(({ id, chosen, replaced, shown, rotated }) => ({
      id: id ?? "",
      address: chosen > replaced,
      secret: shown > rotated,
    }))
    .filter(({ address, secret }) => address || secret);
}

/** The modes of which a member has seen the signing secret that signs now. */
export async function signingSecretsSeenBy(
  on: Executor,
  businessId: number,
  userId: string,
): Promise<Mode[]> {
  const [show, roll] = ["getSigningSecret", "rollSigningSecret"];
  const leavings = ["changeMember", "removeMember"];
  const ofMode = (mode: Mode) => ({
    [`seen_${mode}`]: newest(
      by(userId),
      sql`${entries.mode} = ${mode} and ${entries.action} in (${show}, ${roll})`,
    ),
    [`rolled_${mode}`]: newest(
      sql`((${entries.mode} = ${mode} and ${entries.action} = ${roll}) or ${details} @> ${JSON.stringify({ signing_secrets_rolled: [mode] })}::jsonb)`,
    ),
  });
  const [row] = await on
    .select({ ...ofMode("test"), ...ofMode("live") })
    .from(entries)
    .where(of(businessId, [show, roll, ...leavings]));
  return modes.filter((mode) => {
    const seen = row?.[`seen_${mode}`] ?? 0;
    return seen > 0 && seen >= (row?.[`rolled_${mode}`] ?? 0);
  });
}
