import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { Claim, Ctx } from "@/lib/domain/context";
import { claimKey, holdClaim, keyScope } from "@/lib/domain/idempotency/claim";
import { extendKey } from "@/lib/domain/idempotency/rows";
import { newShop } from "./setting";

afterAll(closePool);

const path = "/api/payment-links";
const claimIt = (ctx: Ctx, key = "order-1") => claimKey(ctx, key, "POST", path, "{}");
const secondsLeft = async (ctx: Ctx) => {
  const { rows } = await db.execute<{ left: number }>(
    sql`select extract(epoch from locked_until - now())::float8 as left from idempotency_keys where business_id = ${ctx.businessId}`,
  );
  return rows[0]?.left ?? 0;
};
const setLeft = (ctx: Ctx, seconds: number) =>
  db.execute(
    sql`update idempotency_keys set locked_until = now() + make_interval(secs => ${seconds}) where business_id = ${ctx.businessId}`,
  );
const running = { status: 409, code: "idempotency_in_progress" };

test("a keyed call whose process died can be repeated after 15 seconds", async () => {
  const { ctx } = await newShop();
  await claimIt(ctx);
  expect(await secondsLeft(ctx)).toBeLessThanOrEqual(15);
  await expect(claimIt(ctx)).rejects.toMatchObject(running);
  await setLeft(ctx, 0);
  expect(await claimIt(ctx)).toHaveProperty("scope", keyScope("POST", path, "order-1"));
});

test("a run that lives keeps its claim as long as it takes, and extends no claim of another run", async () => {
  const { ctx } = await newShop();
  const claim = (await claimIt(ctx)) as Claim;
  const letGo = holdClaim({ ...ctx, claim }, 10);
  await setLeft(ctx, 2);
  await vi.waitFor(async () => expect(await secondsLeft(ctx)).toBeGreaterThan(10));
  await expect(claimIt(ctx)).rejects.toMatchObject(running);
  letGo();
  // The next run has the key: what is left of the first one changes nothing.
  await setLeft(ctx, 0);
  const next = (await claimIt(ctx)) as Claim;
  await setLeft(ctx, 5);
  await extendKey(ctx, claim.scope, claim.id);
  expect(await secondsLeft(ctx)).toBeLessThanOrEqual(5);
  await extendKey(ctx, next.scope, next.id);
  expect(await secondsLeft(ctx)).toBeGreaterThan(10);
});
