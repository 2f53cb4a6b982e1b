import type { Connection, FindMethodAnswer, MethodAttemptAnswer } from "../gateway";
import { cardOf, unknown, unknownBy } from "./answers";
import { call } from "./client";
import { attemptKey, pageOf, PaymentMethod, SetupIntent } from "./shapes";

/** A method without its customer has been detached: Stripe never charges it again. */
export async function findMethod(
  connection: Connection,
  methodId: string,
): Promise<FindMethodAnswer> {
  const [customer, id = ""] = methodId.split(":");
  const result = await call(connection, "Stripe's saved method", PaymentMethod, (stripe) =>
    stripe.paymentMethods.retrieve(id),
  );
  if (!result.ok)
    return result.trouble.kind === "missing" ? { kind: "gone" } : unknownBy(result.trouble);
  const { customer: owner } = result.value;
  if ((typeof owner === "object" ? owner?.id : owner) !== customer) return { kind: "gone" };
  const card = cardOf(result.value);
  return card ? { kind: "found", card } : unknown("Stripe does not say what was saved.");
}

/** The setup that saved a method has our reference; the method itself has none. */
export async function attemptOfMethod(
  connection: Connection,
  gatewayId: string,
): Promise<MethodAttemptAnswer> {
  const result = await call(connection, "Stripe's setups", pageOf(SetupIntent), (stripe) =>
    stripe.setupIntents.list({ payment_method: gatewayId, limit: 100 }),
  );
  if (!result.ok) return unknownBy(result.trouble);
  const reference = result.value.data
    .filter(({ status }) => status === "succeeded")
    .flatMap(({ metadata }) => metadata?.[attemptKey] ?? [])
    .at(0);
  return reference === undefined ? { kind: "nothing" } : { kind: "found", reference };
}
