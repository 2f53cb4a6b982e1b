import { withTransaction } from "@/db/client";
import type { Payment } from "@/lib/contract/payments";
import type { TokenChargeInput } from "@/lib/contract/tokenizations";
import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { assertChargeable, assertChargeableBy } from "@/lib/domain/gateway-connections/amounts";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { noteClaimBegun } from "@/lib/domain/idempotency/claim";
import { commit } from "@/lib/domain/idempotency/commit";
import { presentPayment } from "@/lib/domain/payments/present";
import { findPayment, insertPayment } from "@/lib/domain/payments/rows";
import { settleIn } from "@/lib/domain/payments/settle";
import { find as findTokenization, lockTokenization } from "@/lib/domain/tokenizations/rows";
import { newId } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import { reconcile } from "./reconcile";
import { sendCharge } from "./send";

/** Charges an active token once. Returns the payment, whatever its outcome. Throws 404, 409 when the token is not active. */
export async function charge(ctx: Ctx, token: string, input: TokenChargeInput): Promise<Payment> {
  const begun = ctx.claim?.begun ? await findPayment(ctx, ctx.claim.begun) : undefined;
  // A retry after a crash: the payment exists, so it is looked up and never made again.
  if (begun) {
    const row = await reconcile(ctx, begun);
    return commit(ctx, async () => presentPayment(row));
  }
  await assertChargeable(ctx, input);
  const known = await findTokenization(ctx, token);
  if (!known) throw notFound();
  // Other gateways may take the amount; the saved method's has to.
  if (known.gateway) assertChargeableBy(known.gateway, input);
  const { payment, methodId, payer } = await withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, known.id);
    if (row?.status !== "active" || !row.methodId || !row.connectionId || !row.gateway)
      throw conflict("This token is not active.");
    const made = await insertPayment(ctx, tx, {
      id: newId(),
      amount: input.amount,
      currency: input.currency,
      title: input.title,
      reference: input.reference ?? null,
      gateway: row.gateway,
      connectionId: row.connectionId,
      tokenizationId: row.id,
    });
    await noteClaimBegun(ctx, tx, made.id);
    return { payment: made, methodId: unseal(row.methodId, "gateway"), payer: payerOf(row) };
  });
  const account = await resolveGatewayOf(ctx, payment.connectionId);
  const answer = await sendCharge(ctx, account, payment, { methodId, payer });
  return commit(ctx, async (tx) => presentPayment(await settleIn(ctx, tx, payment.id, answer)));
}
