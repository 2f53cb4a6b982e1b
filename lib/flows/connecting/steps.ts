import { randomBytes } from "node:crypto";
import type {
  GatewayConnection,
  GatewayConnectionInput,
  GatewayConnectionUpdate,
} from "@/lib/contract/gateway-connections";
import type { Ctx } from "@/lib/domain/context";
import {
  type ConnectionRow,
  changeConnection,
  connectionsTo,
  insertConnection,
  lockConnecting,
  lockConnection,
  nowSql,
} from "@/lib/domain/gateway-connections/rows";
import { commit } from "@/lib/domain/idempotency/commit";
import { type CheckedKey, checkKey } from "@/lib/gateways/stripe/account";
import { newId } from "@/lib/kernel/ids";
import {
  assertNone,
  conflict,
  type FieldErrors,
  invalid,
  notFound,
  Problem,
} from "@/lib/kernel/problem";
import { seal } from "@/lib/kernel/secrets";
import { get } from "./show";

/** What speaks against a key without asking the gateway: that it is one of the other mode. */
export function keyObjections(
  { mode }: Ctx,
  { secret_key: secret }: { secret_key?: string },
): FieldErrors {
  if (secret === undefined || secret.slice(3).startsWith(`${mode}_`)) return {};
  return {
    secret_key: [`The secret key must be one of ${mode} mode: sk_${mode}_… or rk_${mode}_….`],
  };
}

type Accepted = Extract<CheckedKey, { kind: "accepted" }>;

/** The gateway's word on a key. Throws 422 on `secret_key` for one of the other mode or that is not accepted, 503 when the gateway does not answer. */
async function accepted(ctx: Ctx, secret: string): Promise<Accepted> {
  assertNone(keyObjections(ctx, { secret_key: secret }));
  // A new key has no connection yet: its failures must not count against one.
  const checked = await checkKey({ id: newId(), secret });
  if (checked.kind === "accepted") return checked;
  if (checked.kind === "refused") throw invalid({ secret_key: [checked.reason] });
  throw new Problem(
    503,
    "unavailable",
    "Stripe could not be reached to check the key. Try again in a moment.",
    { headers: { "retry-after": "10" } },
  );
}

const secretsOf = (secret: string, { account, name }: Accepted) => ({
  secret: seal(secret, "gateway"),
  lastFour: secret.slice(-4),
  account,
  accountName: name,
  checkedAt: nowSql,
});

/**
 * Connects a Stripe account for this mode, once Stripe has accepted its key. An account that was connected before takes up where it was left, under
 * the same callback address. Throws 422, 503, and 409 when one is connected.
 */
export async function connect(ctx: Ctx, input: GatewayConnectionInput): Promise<GatewayConnection> {
  const gateway = input.gateway ?? "stripe";
  const checked = await accepted(ctx, input.secret_key);
  const values = {
    ...secretsOf(input.secret_key, checked),
    callbackSecret: input.webhook_secret ? seal(input.webhook_secret, "gateway") : null,
  };
  return commit(ctx, async (tx) => {
    await lockConnecting(ctx, tx);
    const there = await connectionsTo(ctx, tx, gateway);
    if (there.some((row) => row.enabled))
      throw conflict(
        "A Stripe account is connected in this mode already: replace its key, or revoke it first.",
      );
    const earlier = there.find((row) => row.account === checked.account);
    const id = earlier?.id ?? randomBytes(16).toString("hex");
    if (earlier) await changeConnection(ctx, tx, id, { ...values, enabled: true, revokedAt: null });
    else
      await insertConnection(tx, {
        ...values,
        businessId: ctx.businessId,
        mode: ctx.mode,
        id,
        gateway,
      });
    noteAccount(ctx, checked.account);
    return get(ctx, id, tx);
  });
}

function noteAccount(ctx: Ctx, account: string | null): void {
  if (ctx.audit) Object.assign(ctx.audit.details, { gateway: "stripe", account });
}

/** Replaces the key, by one of the same account, or the webhook secret. Throws 404, 409, 422, 503. */
export async function replace(
  ctx: Ctx,
  id: string,
  input: GatewayConnectionUpdate,
): Promise<GatewayConnection> {
  const checked = input.secret_key === undefined ? null : await accepted(ctx, input.secret_key);
  return commit(ctx, async (tx) => {
    const row = standing(await lockConnection(ctx, tx, id));
    if (checked && checked.account !== row.account) {
      throw invalid({
        secret_key: [
          `The secret key belongs to another Stripe account (${checked.account}). To move there, revoke this connection and connect the other.`,
        ],
      });
    }
    await changeConnection(ctx, tx, id, {
      ...(checked && input.secret_key !== undefined ? secretsOf(input.secret_key, checked) : {}),
      ...(input.webhook_secret === undefined
        ? {}
        : {
            callbackSecret:
              input.webhook_secret === null ? null : seal(input.webhook_secret, "gateway"),
          }),
    });
    noteAccount(ctx, row.account);
    return get(ctx, id, tx);
  });
}

/** Forgets the secrets at once. No attempt starts there any more, and open attempts can no longer be looked up. Throws 404, 409. */
export async function revoke(ctx: Ctx, id: string): Promise<GatewayConnection> {
  return commit(ctx, async (tx) => {
    const row = standing(await lockConnection(ctx, tx, id));
    await changeConnection(ctx, tx, id, {
      secret: null,
      callbackSecret: null,
      enabled: false,
      revokedAt: nowSql,
    });
    noteAccount(ctx, row.account);
    return get(ctx, id, tx);
  });
}

function standing(row: ConnectionRow | undefined): ConnectionRow {
  if (!row) throw notFound();
  if (row.gateway === "simulator")
    throw conflict("The simulator is part of test mode: there is nothing to replace or revoke.");
  if (row.revokedAt !== null) throw conflict("This connection is revoked.");
  return row;
}
