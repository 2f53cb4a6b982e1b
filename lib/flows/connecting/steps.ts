import { nowSql } from "@/db/columns";
import { randomBytes } from "node:crypto";
import { db } from "@/db/client";
import { searchConnected } from "@/db/settings";
import {
  connectable,
  type GatewayConnection,
  type GatewayConnectionInput,
  type GatewayConnectionUpdate,
} from "@/lib/contract/gateway-connections";
import { resumeCallbacks } from "@/lib/domain/callbacks/rows";
import type { Ctx } from "@/lib/domain/context";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { callbackUrl } from "@/lib/domain/gateway-connections/present";
import {
  type ConnectionRow,
  changeConnection,
  connectionsTo,
  findOwnConnection,
  insertConnection,
  lockConnecting,
  lockConnection,
} from "@/lib/domain/gateway-connections/rows";
import { commit } from "@/lib/domain/idempotency/commit";
import type { CheckedKey, Gateway, RegisterAnswer } from "@/lib/gateways/gateway";
import { gatewayFor } from "@/lib/gateways/registry";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import {
  assertNone,
  conflict,
  type FieldErrors,
  invalid,
  notFound,
  Problem,
} from "@/lib/kernel/problem";
import { seal } from "@/lib/kernel/secrets";
import { decideChange, decideConnect } from "./decide";
import { get } from "./show";

/** The adapter of a gateway that can be connected. */
function adapterOf(name: string): Gateway {
  const gateway = gatewayFor(name);
  if (!gateway) throw new Error(`no adapter for the gateway ${name}`);
  return gateway;
}

const chosen = ({ gateway }: Pick<GatewayConnectionInput, "gateway">): Gateway =>
  adapterOf(gateway ?? connectable[0]);

/** The field errors of a new connection's secrets, without asking the gateway. */
export const validateNewKey = (ctx: Ctx, input: Partial<GatewayConnectionInput>): FieldErrors =>
  validateSecrets(ctx, chosen(input), input);

/** The field errors of secrets that replace others, without asking the gateway. None for a connection that is not there: that is a 404. */
export async function validateOtherKey(
  ctx: Ctx,
  id: string,
  { secret_key, webhook_secret }: GatewayConnectionUpdate,
): Promise<FieldErrors> {
  if (secret_key === undefined && webhook_secret === undefined) return {};
  const row = await findOwnConnection(ctx, id);
  return row ? validateSecrets(ctx, adapterOf(row.gateway), { secret_key, webhook_secret }) : {};
}

function validateSecrets(
  { mode }: Ctx,
  gateway: Gateway,
  { secret_key: key, webhook_secret: secret }: Secrets,
): FieldErrors {
  const ofKey = key === undefined ? null : gateway.validateKey(key, mode);
  const ofSecret = secret === undefined ? null : validateCallbackSecret(gateway, secret);
  return {
    ...(ofKey === null ? {} : { secret_key: [ofKey] }),
    ...(ofSecret === null ? {} : { webhook_secret: [ofSecret] }),
  };
}

function validateCallbackSecret(
  { title, validateCallbackSecret: validate }: Gateway,
  secret: string | null,
): string | null {
  if (validate === null) return `The webhook secret comes from ${title} itself: leave it out.`;
  return secret === null ? null : validate(secret);
}

type Secrets = { secret_key?: string | undefined; webhook_secret?: string | null | undefined };

type Accepted = Extract<CheckedKey, { kind: "accepted" }>;

/**
 * The gateway's word on a key, and on the account that it is for. Throws 422 on `secret_key` for one that is not accepted, 422 on
 * the field of the account, 503 when the gateway does not answer.
 */
async function accepted(
  ctx: Ctx,
  gateway: Gateway,
  secret: string,
  account: string | null,
): Promise<Accepted> {
  // A new key has no connection yet: its failures must not count against one.
  const checked = await gateway.checkKey({ id: newId(), secret, mode: ctx.mode, account });
  if (checked.kind === "accepted") return checked;
  if (checked.kind === "refused")
    throw invalid({
      [checked.field ? (gateway.accountField ?? "secret_key") : "secret_key"]: [checked.reason],
    });
  throw new Problem(
    503,
    "unavailable",
    `${gateway.title} could not be reached to check the key. Try again in a moment.`,
    { headers: { "retry-after": "10" } },
  );
}

const secretsOf = (secret: string, { account, name, callbackSecret }: Accepted) => ({
  secret: seal(secret, "gateway"),
  lastFour: secret.slice(-4),
  account,
  accountName: name,
  checkedAt: nowSql,
  ...(callbackSecret === undefined ? {} : { callbackSecret: seal(callbackSecret, "gateway") }),
});

type Registered = Extract<RegisterAnswer, { kind: "registered" }>;

/** Asks the gateway to send callbacks; null where its people have to set them up. */
async function register(
  { mode, requestId }: Ctx,
  gateway: Gateway,
  id: string,
  secret: string,
): Promise<Registered | null> {
  const { registerCallbacks } = gateway;
  if (registerCallbacks === null) return null;
  const answer = await callGateway("registering callbacks", () =>
    registerCallbacks({ id, secret, mode }, callbackUrl(gateway.name, id)),
  );
  if (answer.kind === "registered") return answer;
  log.warn(
    { request_id: requestId, connection: id, reason: answer.reason },
    "the gateway was not asked to call back",
  );
  return null;
}

/** Makes a change that may keep a registration's secret, and ends what is not needed then. Where the outcome is not known both stay: callbacks of one of them are verified. */
async function ending<T>(
  registered: Registered | null,
  change: (keep: () => { callbackSecret?: string }) => Promise<T>,
): Promise<T> {
  let isKept = false;
  const keep = () => {
    isKept = registered !== null;
    return registered ? { callbackSecret: seal(registered.secret, "gateway") } : {};
  };
  try {
    const result = await change(keep);
    await registered?.end(isKept);
    return result;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) await registered?.end(false);
    throw error;
  }
}

const typedSecret = (secret: string | null | undefined) =>
  secret ? seal(secret, "gateway") : null;

/**
 * Connects an account for this mode, once its gateway has accepted the key, and makes the gateway call back where it can. An account that was connected before takes up where it was left, under
 * the same callback address. Throws 422, 503, and 409 when one is connected.
 */
export async function connect(ctx: Ctx, input: GatewayConnectionInput): Promise<GatewayConnection> {
  const gateway = chosen(input);
  const { accountField } = gateway;
  const account = accountField === null ? null : (input[accountField] ?? null);
  assertNone(validateSecrets(ctx, gateway, input));
  const checked = await accepted(ctx, gateway, input.secret_key, account);
  const refuse = () =>
    conflict(
      `This mode has a ${gateway.title} account already: replace its key, or revoke it first.`,
    );
  // The callback address holds the connection's id, and the gateway is not called within a transaction.
  const before = decideConnect(await connectionsTo(ctx, db, gateway.name), checked.account);
  if (before.kind === "refuse") throw refuse();
  const id = before.kind === "insert" ? randomBytes(16).toString("hex") : before.id;
  const registered = input.webhook_secret
    ? null
    : await register(ctx, gateway, id, input.secret_key);
  return ending(registered, (keep) =>
    commit(ctx, async (tx) => {
      await lockConnecting(ctx, tx);
      const decision = decideConnect(await connectionsTo(ctx, tx, gateway.name), checked.account);
      if (decision.kind === "refuse" || decision.kind !== before.kind) throw refuse();
      const values = {
        callbackSecret: typedSecret(input.webhook_secret),
        ...keep(),
        ...secretsOf(input.secret_key, checked),
      };
      if (decision.kind === "insert")
        await insertConnection(tx, {
          ...values,
          businessId: ctx.businessId,
          mode: ctx.mode,
          id,
          gateway: gateway.name,
        });
      else {
        await changeConnection(ctx, tx, id, { ...values, enabled: true, revokedAt: null });
        await resumeCallbacks(ctx, tx, id);
      }
      await searchConnected(tx, id);
      noteAccount(ctx, gateway.name, checked.account);
      return get(ctx, id, tx);
    }),
  );
}

function noteAccount(ctx: Ctx, gateway: string, account: string | null): void {
  if (ctx.audit) Object.assign(ctx.audit.details, { gateway, account });
}

/** Replaces the key, by one of the same account, or the webhook secret, or puts the connection first. Throws 404, 409, 422, 503. */
export async function replace(
  ctx: Ctx,
  id: string,
  input: GatewayConnectionUpdate,
): Promise<GatewayConnection> {
  const known = replaceable(await findOwnConnection(ctx, id));
  const gateway = adapterOf(known.gateway);
  assertNone(validateSecrets(ctx, gateway, input));
  const checked =
    input.secret_key === undefined
      ? null
      : await accepted(ctx, gateway, input.secret_key, known.account);
  const registered =
    checked &&
    checked.account === known.account &&
    input.secret_key !== undefined &&
    input.webhook_secret === undefined &&
    known.callbackSecret === null
      ? await register(ctx, gateway, id, input.secret_key)
      : null;
  return ending(registered, (keep) =>
    commit(ctx, async (tx) => {
      const row = replaceable(await lockConnection(ctx, tx, id));
      if (checked && checked.account !== row.account) {
        throw invalid({
          secret_key: [
            `The secret key belongs to another ${gateway.title} account (${checked.account}). To move there, revoke this connection and connect the other.`,
          ],
        });
      }
      await changeConnection(ctx, tx, id, {
        ...(input.webhook_secret === undefined
          ? {}
          : { callbackSecret: typedSecret(input.webhook_secret) }),
        ...(input.first ? { preferredAt: nowSql } : {}),
        // Another call may have stored the secret of its own registration meanwhile.
        ...(row.callbackSecret === null ? keep() : {}),
        ...(checked && input.secret_key !== undefined ? secretsOf(input.secret_key, checked) : {}),
      });
      noteAccount(ctx, row.gateway, row.account);
      return get(ctx, id, tx);
    }),
  );
}

/** Forgets the secrets at once. No attempt starts there any more, and open attempts can no longer be looked up. Throws 404, also for one that is revoked, and 409. */
export async function revoke(ctx: Ctx, id: string): Promise<GatewayConnection> {
  return commit(ctx, async (tx) => {
    const locked = await lockConnection(ctx, tx, id);
    if (locked?.revokedAt) throw notFound();
    const row = replaceable(locked);
    await changeConnection(ctx, tx, id, {
      secret: null,
      callbackSecret: null,
      enabled: false,
      revokedAt: nowSql,
    });
    noteAccount(ctx, row.gateway, row.account);
    return get(ctx, id, tx);
  });
}

/** The connection, where it has secrets to replace or revoke. Throws 404, 409. */
function replaceable(row: ConnectionRow | undefined): ConnectionRow {
  const adapter = row && adapterOf(row.gateway);
  const { kind } = decideChange(row, adapter?.builtIn ?? false);
  if (kind === "built_in")
    throw conflict(
      `The ${adapter?.title} is part of test mode: there is nothing to replace or revoke.`,
    );
  if (kind === "revoked") throw conflict("This connection is revoked.");
  if (!row) throw notFound();
  return row;
}
