import type { Ctx } from "@/lib/domain/context";
import type { GatewayAccount } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { keepGatewayId, type PaymentRow, sendableStatus } from "@/lib/domain/payments/rows";
import type { Charge, ChargeAnswer, PrepareAnswer } from "@/lib/gateways/gateway";
import type { ChargeableMethod } from "./decide";

const notSent: ChargeAnswer = {
  kind: "unknown",
  reason: "The payment ended before it was charged.",
};

/**
 * Sends a charge of a saved method. Where the gateway prepares charges, its id is committed before each time that the charge is sent. When the process
 * dies in between, the charge is found by this id and is paid at most once. A repeat sends the same fields: a gateway refuses a key that comes with others.
 * Returns `unknown` without a call when the charge may not be sent any more, or another worker has sent it.
 */
export async function sendCharge(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  payment: PaymentRow,
  { methodId, payer }: ChargeableMethod,
): Promise<ChargeAnswer> {
  const { id, reference, subscriptionId, tokenizationId, amount, currency, title } = payment;
  const charge: Charge = {
    key: id,
    reference: id,
    ownReference: reference,
    subscriptionId,
    tokenizationId,
    payer,
    amount,
    currency,
    title,
    methodId,
  };
  const send = async ({ gatewayId }: Pick<Charge, "gatewayId">): Promise<ChargeAnswer> => {
    const answer = await callGateway("charging a saved method", () =>
      gateway.charge(connection, gatewayId ? { ...charge, gatewayId } : charge),
    );
    // A refusal names the charge that was prepared, so that it is not taken for one from before.
    return answer.kind === "failed" && gatewayId && !answer.gatewayId
      ? { ...answer, gatewayId }
      : answer;
  };
  if ((await sendableStatus(ctx, id)) !== payment.status) return notSent;
  const { prepare } = gateway;
  if (prepare === null) return send({});
  const prepared: PrepareAnswer = payment.gatewayId
    ? { kind: "prepared", gatewayId: payment.gatewayId }
    : await callGateway("preparing a charge", () => prepare(connection, charge));
  if (prepared.kind !== "prepared") return prepared;
  const gatewayId = await keepGatewayId(ctx, id, prepared.gatewayId);
  return gatewayId === undefined ? notSent : send({ gatewayId });
}
