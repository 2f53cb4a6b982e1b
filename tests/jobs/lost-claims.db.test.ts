import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db, pool, withTransaction } from "@/db/client";
import { systemCtx } from "@/lib/domain/context";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { insertMail } from "@/lib/domain/mails/rows";
import { putSettings } from "@/lib/domain/notifications/rows";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { batchWork } from "@/lib/flows/batch/job";
import { start } from "@/lib/flows/batch/steps";
import { linkExpiry, tokenExpiry } from "@/lib/flows/expiry/job";
import { defineMailSending } from "@/lib/flows/mailing/job";
import { dailySummaries } from "@/lib/flows/notifying/job";
import { renewal } from "@/lib/flows/renewal/job";
import { journalOf } from "@/lib/gateways/simulator/scripting";
import { ClaimLost } from "@/lib/jobs/claim-rows";
import type { Job } from "@/lib/jobs/define";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { newLink, type Shop } from "../money/setting";
import { saveMethod, subscribe } from "../money/subscription-setting";
import { claimOf } from "../run-once";
import { someStaff } from "../staff/person";

type World = { shop: Shop; userId: string };
async function newWorld(): Promise<World> {
  const { businessId, userId } = await someStaff();
  const ctx = systemCtx({ businessId, mode: "test" }, { kind: "operator" }, "lost-claims");
  return { shop: { ctx, account: await resolveGateway(ctx) }, userId };
}

const makeDue = (table: string, column: string, { shop }: World) =>
  pool().query(`update ${table} set ${column} = now() - interval '1 hour' where business_id = $1`, [
    shop.ctx.businessId,
  ]);

/** The mails that the server took. */
const taken: string[] = [];

/** A kind of work, and a piece of it that is due. */
const kinds: [string, unknown, (world: World) => Promise<unknown>][] = [
  [
    "expires links",
    linkExpiry,
    async (world) => {
      await newLink(world.shop);
      await makeDue("payment_links", "expires_at", world);
    },
  ],
  [
    "expires tokens",
    tokenExpiry,
    async (world) => {
      await createToken(world.shop.ctx, { email: "a@example.com", title: "T", description: "D" });
      await makeDue("tokenizations", "expires_at", world);
    },
  ],
  [
    "works batches",
    batchWork,
    async ({ shop }) => start(shop.ctx, {}, { action: "cancel", ids: [(await newLink(shop))._id] }),
  ],
  [
    "queues summaries",
    dailySummaries,
    async (world) => {
      await withTransaction((tx) =>
        putSettings(world.shop.ctx, tx, world.userId, { mail: ["daily"], chat: [] }),
      );
      await makeDue("notification_settings", "daily_due_at", world);
    },
  ],
  [
    "charges subscriptions",
    renewal,
    async ({ shop }) => {
      await saveMethod(shop);
      await subscribe(shop);
    },
  ],
  [
    "sends mails",
    defineMailSending({
      send: async ({ messageId }) => {
        taken.push(messageId);
        return { kind: "sent" };
      },
      close: () => undefined,
    }),
    async ({ shop: { ctx } }) => {
      const id = newId();
      await insertMail(db, {
        id,
        businessId: ctx.businessId,
        mode: "live",
        kind: "receipt",
        cause: id,
        objectId: null,
        recipient: "ana@example.com",
        subject: "Paid",
        html: seal("<p>Paid</p>", "mail"),
        text: seal("Paid", "mail"),
      });
    },
  ],
];

/** All rows of a business, table by table, what the gateway has done for it, and the mails that went out. */
async function everythingOf({ ctx, account }: Shop): Promise<Record<string, unknown>> {
  const { rows: tables } = await pool().query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'business_id' and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
  );
  const gateway = await journalOf(account.connection.id);
  const found: Record<string, unknown> = { gateway, taken: [...taken] };
  for (const { name } of tables) {
    const { rows } = await pool().query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t where business_id = $1 order by 1`,
      [ctx.businessId],
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

test.each(kinds)(
  "a worker that %s and has lost its claim changes nothing, and the one that has it does the work",
  async (_, given, make) => {
    const job = given as Job;
    const world = await newWorld();
    const { businessId } = world.shop.ctx;
    await make(world);
    const stalled = await claimOf(job.due, businessId);
    expect(stalled).toHaveLength(1);
    await db
      .update(job.due.table)
      .set({ leasedUntil: sql`now()` } as never)
      .where(sql`business_id = ${businessId}`);
    const taken = await claimOf(job.due, businessId);
    const call = { requestId: "lost-claims", stopping: new AbortController().signal };
    const before = await everythingOf(world.shop);
    try {
      await job.work(stalled, call);
    } catch (error) {
      expect(error).toBeInstanceOf(ClaimLost);
    }
    expect(await everythingOf(world.shop)).toEqual(before);
    await job.work(taken, call);
    expect(await everythingOf(world.shop)).not.toEqual(before);
  },
);
