import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { list } from "@/lib/flows/connecting/show";
import { newId } from "@/lib/kernel/ids";
import { gatewayConnect, gatewayRevoke } from "@/lib/operator/gateways";
import { newBusiness, newStripeShop } from "../money/stripe-setting";
import { runningPeer } from "../stripe-peer/running";

const peer = runningPeer();

beforeEach(() => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());
afterAll(closePool);

const of = ({ businessId, mode }: Ctx) => ["--business", String(businessId), "--mode", mode];

async function connecting(ctx: Ctx, ...more: string[]): Promise<void> {
  const lines = `sk_${ctx.mode}_${newId()}\nwhsec_${newId()}\n`;
  const stdin = Readable.from([Buffer.from(lines)]) as typeof process.stdin;
  vi.spyOn(process, "stdin", "get").mockReturnValue(stdin);
  await gatewayConnect([...of(ctx), ...more]);
}

const connections = async (ctx: Ctx) => (await list(ctx, {}, new URLSearchParams())).data;

const entries = async ({ businessId }: Ctx) =>
  (
    await db.execute(
      sql`select action, mode, actor_kind, object_id, address, details::jsonb as details
        from audit_entries where business_id = ${businessId} order by seq`,
    )
  ).rows;

/** From now on nothing can be written into the audit log of a business. */
const closeLog = ({ businessId }: Ctx) =>
  db.execute(
    sql.raw(`create function closed_${businessId}() returns trigger language plpgsql as
        $$ begin raise exception 'the log is closed'; end $$;
      create trigger closed_${businessId} before insert on audit_entries for each row
        when (new.business_id = ${businessId}) execute function closed_${businessId}()`),
  );

const isClosed = { cause: expect.objectContaining({ message: "the log is closed" }) };

test("connecting and revoking by command are in the audit log, with gateway and account", async () => {
  const ctx = await newBusiness("live");
  await connecting(ctx);
  const [made] = await connections(ctx);
  await gatewayRevoke([made?._id ?? "", ...of(ctx)]);
  const entry = {
    mode: "live",
    actor_kind: "operator",
    object_id: made?._id,
    address: null,
    details: { gateway: "stripe", account: made?.account },
  };
  expect(await entries(ctx)).toEqual([
    { action: "gateway:connect", ...entry },
    { action: "gateway:revoke", ...entry },
  ]);
});

test.each(["--gateway", "--brand", "--collection"])(
  "an empty %s is refused, not left out",
  async (option) => {
    const ctx = await newBusiness("live");
    await expect(connecting(ctx, option, "")).rejects.toThrow(`${option} is empty`);
    expect(await connections(ctx)).toEqual([]);
  },
);

test("a command whose audit entry cannot be written connects nothing", async () => {
  const ctx = await newBusiness("live");
  await closeLog(ctx);
  await expect(connecting(ctx)).rejects.toMatchObject(isClosed);
  expect(await connections(ctx)).toEqual([]);
});

test("nor does it revoke anything", async () => {
  const { ctx, connectionId } = await newStripeShop(peer, "live");
  await closeLog(ctx);
  await expect(gatewayRevoke([connectionId, ...of(ctx)])).rejects.toMatchObject(isClosed);
  expect(await connections(ctx)).toMatchObject([{ _id: connectionId, status: "active" }]);
});
