import type { Connection, Gateway } from "@/lib/gateways/gateway";
import { gatewayFor } from "@/lib/gateways/registry";
import { revokedGateway } from "@/lib/gateways/revoked";
import { Problem } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { activeConnections, type ConnectionRow, connectionById } from "./rows";

/** A gateway and the account to use there. */
export type GatewayAccount = { gateway: Gateway; connection: Connection };

/** The first of the gateways and accounts for new attempts of this business and mode. Throws 409 when no gateway is connected. */
export async function resolveGateway(ctx: Ctx): Promise<GatewayAccount> {
  const [first] = await resolveGateways(ctx);
  if (!first)
    throw new Problem(
      409,
      "gateway_not_connected",
      "Connect a payment provider for this mode first.",
    );
  return first;
}

/** The first of them that saves payment methods, if one does. */
export const findSavingGateway = async (ctx: Ctx): Promise<GatewayAccount | undefined> =>
  (await resolveGateways(ctx)).find(({ gateway }) => gateway.savesMethods);

/** The gateways and accounts for new attempts of this business and mode, the one that staff put first before the others. */
export const resolveGateways = async ({ businessId, mode }: Ctx): Promise<GatewayAccount[]> =>
  (await activeConnections(businessId, mode)).map(openAccount);

/** The gateway and account with which an attempt was made. */
export async function resolveGatewayOf(
  ctx: Ctx,
  connectionId: string | null,
): Promise<GatewayAccount> {
  const row =
    connectionId === null ? undefined : await connectionById(ctx.businessId, connectionId);
  if (!row) throw new Error("the attempt's gateway connection is gone");
  return openAccount(row);
}

/** A revoked account has none. */
const NO_SECRET = "";

/** Whether an account is not connected any more. */
export const isRevoked = ({ connection }: GatewayAccount): boolean =>
  connection.secret === NO_SECRET;

/** Finds the adapter of a connection and decrypts its secrets. Every call with a revoked connection returns `unknown`. */
export function openAccount(row: ConnectionRow): GatewayAccount {
  const gateway = gatewayFor(row.gateway);
  if (!gateway) throw new Error(`no adapter for the gateway ${row.gateway}`);
  const named = { id: row.id, businessId: row.businessId, mode: row.mode, account: row.account };
  if (row.secret === null)
    return { gateway: revokedGateway(gateway), connection: { ...named, secret: NO_SECRET } };
  const callbackSecret = row.callbackSecret === null ? null : unseal(row.callbackSecret, "gateway");
  return {
    gateway,
    connection: { ...named, secret: unseal(row.secret, "gateway"), callbackSecret },
  };
}
