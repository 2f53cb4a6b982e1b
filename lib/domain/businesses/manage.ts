import { findConnection } from "../gateway-connections/rows";
import { notifyChange } from "@/db/changes";
import { db, type Executor, type Tx } from "@/db/client";
import { nowOf } from "@/db/columns";
import type { Business, BusinessInput, SigningSecret } from "@/lib/contract/business";
import type { Mode } from "@/lib/contract/values";
import { newToken } from "@/lib/kernel/ids";
import { notFound } from "@/lib/kernel/problem";
import { seal, unseal } from "@/lib/kernel/secrets";
import { signingSecretsSeenBy } from "../audit/seen-rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { logoOut } from "../logo-address";
import { assertSeen, editOf } from "../versions/edits";
import { type BusinessRow, changeBusiness, findBusiness, lockBusiness } from "./rows";
import { settledZone } from "./time-zone";

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
  reminders: row.reminders,
  reminders_since: row.reminders.length > 0 ? row.remindersSince : null,
  live_gateway: live,
  version: row.version,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

async function own(ctx: Ctx, on: Executor = db): Promise<BusinessRow> {
  const row = await findBusiness(ctx.businessId, on);
  if (!row) throw notFound();
  return row;
}

export const hasLive = async (ctx: Ctx) =>
  (await findConnection(ctx.businessId, "live")) !== undefined;

/** The business itself. */
export async function get(ctx: Ctx): Promise<Business> {
  return present(await own(ctx), await hasLive(ctx));
}

function valuesOf(input: BusinessInput) {
  const {
    name,
    time_zone,
    default_currency,
    accent,
    support_email,
    support_phone,
    retry_days,
    reminders,
    version: _version,
    // A field of the contract that is missing here does not compile.
    ...unwritten
  } = input;
  return {
    name,
    timeZone: time_zone,
    defaultCurrency: default_currency,
    accent: accent ?? null,
    supportEmail: support_email ?? null,
    supportPhone: support_phone ?? null,
    ...(retry_days === undefined ? {} : { retryDays: retry_days }),
    ...(reminders === undefined ? {} : { reminders }),
    ...(unwritten satisfies Record<string, never>),
  };
}

/**
 * Replaces what staff may set; an absent optional becomes null. `inNewZone` plans anew what was planned in the time zone before. Throws 422 on
 * `time_zone`.
 */
export async function update(
  ctx: Ctx,
  given: BusinessInput,
  inNewZone: (tx: Tx, timeZone: string, formerZone: string) => Promise<void>,
): Promise<Business> {
  const live = await hasLive(ctx);
  const input = { ...given, time_zone: await settledZone(db, given.time_zone) };
  return commit(ctx, async (tx) => {
    const before = await lockBusiness(tx, ctx.businessId);
    await assertSeen(ctx, tx, before, () => present(before, live));
    const values = valuesOf(input);
    const switchedOn = before.reminders.length === 0 && (values.reminders ?? []).length > 0;
    const change = {
      ...values,
      ...editOf(ctx, before, values),
      ...(switchedOn ? { remindersSince: nowOf(ctx) } : {}),
    };
    await notifyChange(tx, { businessId: ctx.businessId }, "business.updated", "");
    const row = await changeBusiness(tx, ctx.businessId, change);
    if (row.timeZone !== before.timeZone) await inNewZone(tx, row.timeZone, before.timeZone);
    return present(row, live);
  });
}

/** The secret that signs return addresses in this mode. A removal waits until it is noted who was shown it. */
export async function getSigningSecret(ctx: Ctx): Promise<SigningSecret> {
  return commit(ctx, async (tx) => {
    const row = await own(ctx, tx);
    return {
      mode: ctx.mode,
      secret: unseal(
        ctx.mode === "test" ? row.signingSecretTest : row.signingSecretLive,
        "signing_secret",
      ),
    };
  });
}

async function roll(tx: Tx, businessId: number, mode: Mode): Promise<SigningSecret> {
  const secret = newToken();
  const sealed = seal(secret, "signing_secret");
  await lockBusiness(tx, businessId);
  await changeBusiness(
    tx,
    businessId,
    mode === "test" ? { signingSecretTest: sealed } : { signingSecretLive: sealed },
  );
  return { mode, secret };
}

/** A new signing secret for this mode; the old one is forgotten. */
export const rollSigningSecret = (ctx: Ctx): Promise<SigningSecret> =>
  commit(ctx, (tx) => roll(tx, ctx.businessId, ctx.mode));

/** New signing secrets in the modes in which a member has seen the present one. Returns these modes. */
export async function rollSeenBy({ businessId }: Ctx, tx: Tx, userId: string): Promise<Mode[]> {
  const seen = await signingSecretsSeenBy(tx, businessId, userId);
  for (const mode of seen) await roll(tx, businessId, mode);
  return seen;
}
