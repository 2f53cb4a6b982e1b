import { findConnection } from "../gateway-connections/rows";
import { notifyChange } from "@/db/changes";
import type { Business, BusinessInput, SigningSecret } from "@/lib/contract/business";
import { newToken } from "@/lib/kernel/ids";
import { notFound } from "@/lib/kernel/problem";
import { seal, unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { logoOut } from "../logo-address";
import { assertSeen, editOf } from "../versions/edits";
import { type BusinessRow, changeBusiness, findBusiness, lockBusiness } from "./rows";

/** A business as the API answers it. */
export const present = (row: BusinessRow, live: boolean): Business => ({
  business_id: row.id,
  name: row.name,
  time_zone: row.timeZone,
  default_currency: row.defaultCurrency,
  accent: row.accent,
  logo: row.logo && logoOut(row.logo),
  support_email: row.supportEmail,
  support_phone: row.supportPhone,
  retry_days: row.retryDays,
  live_gateway: live,
  version: row.version,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

async function own(ctx: Ctx): Promise<BusinessRow> {
  const row = await findBusiness(ctx.businessId);
  if (!row) throw notFound();
  return row;
}

export const hasLive = async (ctx: Ctx) =>
  (await findConnection(ctx.businessId, "live")) !== undefined;

/** The business itself. */
export async function get(ctx: Ctx): Promise<Business> {
  return present(await own(ctx), await hasLive(ctx));
}

/** Replaces what staff may set; an absent optional becomes null. */
export async function update(ctx: Ctx, input: BusinessInput): Promise<Business> {
  const live = await hasLive(ctx);
  return commit(ctx, async (tx) => {
    const before = await lockBusiness(tx, ctx.businessId);
    await assertSeen(ctx, tx, before, () => present(before, live));
    const values = {
      name: input.name,
      timeZone: input.time_zone,
      defaultCurrency: input.default_currency,
      accent: input.accent ?? null,
      supportEmail: input.support_email ?? null,
      supportPhone: input.support_phone ?? null,
      ...(input.retry_days === undefined ? {} : { retryDays: input.retry_days }),
    };
    const change = { ...values, ...editOf(ctx, before, values) };
    await notifyChange(tx, { businessId: ctx.businessId }, "business.updated", "");
    return present(await changeBusiness(tx, ctx.businessId, change), live);
  });
}

/** The secret that signs return addresses in this mode. */
export async function getSigningSecret(ctx: Ctx): Promise<SigningSecret> {
  const row = await own(ctx);
  return {
    mode: ctx.mode,
    secret: unseal(
      ctx.mode === "test" ? row.signingSecretTest : row.signingSecretLive,
      "signing_secret",
    ),
  };
}

/** A new signing secret for this mode; the old one is forgotten. */
export async function rollSigningSecret(ctx: Ctx): Promise<SigningSecret> {
  const secret = newToken();
  const sealed = seal(secret, "signing_secret");
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    await changeBusiness(
      tx,
      ctx.businessId,
      ctx.mode === "test" ? { signingSecretTest: sealed } : { signingSecretLive: sealed },
    );
    return { mode: ctx.mode, secret };
  });
}
