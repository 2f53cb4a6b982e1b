import { withTransaction } from "@/db/client";
import type { Payment } from "@/lib/contract/payments";
import type { TokenChargeInput } from "@/lib/contract/tokenizations";
import { newId } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { noteClaimBegun } from "../idempotency/claim";
import { commit } from "../idempotency/commit";
import { find as findTokenization, lockTokenization } from "../tokenizations/rows";
import { ask, assertTaken, lineOfAttempt } from "../businesses/line";
import { presentPayment } from "./present";
import { reconcile } from "./reconcile";
import { findPayment, insertPayment } from "./rows";
import { settleIn } from "./settle";

/** Charges an active token once. Answers the payment whatever became of it. Throws 404, 409 when the token is not active. */
export async function charge(ctx: Ctx, token: string, input: TokenChargeInput): Promise<Payment> {
  const begun = ctx.claim?.begun ? await findPayment(ctx, ctx.claim.begun) : undefined;
  // A run that died after it had begun: its payment is looked up, never made again.
  if (begun) {
    const row = await reconcile(ctx, begun);
    return commit(ctx, async () => presentPayment(row));
  }
  await assertTaken(ctx, input);
  const known = await findTokenization(ctx, token);
  if (!known) throw notFound();
  const { payment, methodId } = await withTransaction(async (tx) => {
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
    return { payment: made, methodId: unseal(row.methodId, "gateway") };
  });
  const { gateway, connection } = await lineOfAttempt(ctx, payment.connectionId);
  const answer = await ask("charging a saved method", () =>
    gateway.charge(connection, {
      key: payment.id,
      reference: payment.id,
      ownReference: payment.reference,
      amount: payment.amount,
      currency: payment.currency,
      title: payment.title,
      methodId,
    }),
  );
  return commit(ctx, async (tx) => presentPayment(await settleIn(ctx, tx, payment.id, answer)));
}
