import { assertNoTransaction } from "@/db/client";
import type { Connection, Gateway } from "@/lib/gateways/gateway";
import { gatewayFor } from "@/lib/gateways/registry";
import { Problem } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { type ConnectionRow, connectionById, findConnection } from "./rows";

/** A gateway and the account to use there. */
export type Line = { gateway: Gateway; connection: Connection };

/** The line new attempts of this business and mode take. Throws 409 when no gateway is connected. */
export async function lineFor(ctx: Ctx): Promise<Line> {
  const row = await findConnection(ctx.businessId, ctx.mode);
  if (!row) throw new Problem(409, "gateway_not_connected", "Connect a payment gateway for this mode first.");
  return lineOf(row);
}

/** The line an attempt was made on. */
export async function lineOfAttempt(ctx: Ctx, connectionId: string | null): Promise<Line> {
  const row = connectionId === null ? undefined : await connectionById(ctx.businessId, connectionId);
  if (!row) throw new Error("the attempt's gateway connection is gone");
  return lineOf(row);
}

/** Opens a connection row: its secret is decrypted, its adapter found. */
export function lineOf(row: ConnectionRow): Line {
  const gateway = gatewayFor(row.gateway);
  if (!gateway) throw new Error(`no adapter for the gateway ${row.gateway}`);
  return { gateway, connection: { id: row.id, businessId: row.businessId, mode: row.mode, secret: unseal(row.secret, "gateway") } };
}

/** Asks a gateway, with no transaction open; a throw is not an answer, and what is no answer is unknown. */
export async function ask<T extends { kind: string }>(what: string, question: () => Promise<T>): Promise<T | { kind: "unknown"; reason: string }> {
  assertNoTransaction(what);
  try {
    return await question();
  } catch (error) {
    return { kind: "unknown", reason: error instanceof Error ? error.message : "no answer" };
  }
}
