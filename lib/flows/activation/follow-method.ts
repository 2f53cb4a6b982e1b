import { withTransaction } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { previousOf } from "@/lib/domain/events/changes";
import type { GatewayAccount } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { presentForEvent } from "@/lib/domain/tokenizations/present";
import { changeTokenization, find, lockTokenization } from "@/lib/domain/tokenizations/rows";
import { parseReference } from "@/lib/domain/tokenizations/rules";
import type { Unknown } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";
import { decideMethod } from "./decide";

/**
 * Asks the gateway what became of the method that an attempt saved, and writes it down: another expiry or number, or that the method is gone, which
 * revokes the token. `nothing`: the attempt is none of this connection.
 */
export async function followMethod(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  reference: string,
): Promise<{ kind: "followed" } | { kind: "nothing" } | Unknown> {
  const named = parseReference(reference);
  const known = named && (await find(ctx, named.id));
  if (!known || known.connectionId !== connection.id) return { kind: "nothing" };
  const { methodId } = known;
  const { findMethod } = gateway;
  if (findMethod === null || methodId === null || known.status !== "active")
    return { kind: "followed" };
  const answer = await callGateway("looking up a saved method", () =>
    findMethod(connection, unseal(methodId, "gateway")),
  );
  if (answer.kind === "unknown") return answer;
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, known.id);
    const decision = decideMethod(row, methodId, answer);
    if (!row || decision.kind === "ignore") return { kind: "followed" };
    const after = await changeTokenization(
      ctx,
      tx,
      row.id,
      decision.kind === "revoke" ? { status: "revoked", notice: null } : decision.card,
      true,
    );
    const data = presentForEvent(after);
    await emit(ctx, tx, {
      type: decision.kind === "revoke" ? "tokenization.revoked" : "tokenization.updated",
      objectId: row.id,
      data,
      previous: previousOf(presentForEvent(row), data),
    });
    return { kind: "followed" };
  });
}
