import { newId } from "@/lib/kernel/ids";
import type {
  BeginPayment,
  Charge,
  Connection,
  FindAnswer,
  Gateway,
  Hint,
  Payer,
  SaveMethod,
} from "./gateway";

/** What the contract passes to its parts: its connection, and ways to begin and pay through it. */
export type ContractSetting = {
  connection: () => Connection;
  begin: (request: BeginPayment) => Promise<string>;
  paid: (request?: BeginPayment) => Promise<BeginPayment>;
  findUntilKnown: (
    reference: string,
    hint?: Hint,
  ) => Promise<{ found: FindAnswer; unknowns: number }>;
};

const inHalfAnHour = () => new Date(Date.now() + 1_800_000).toISOString();
const addresses = {
  returnUrl: "https://shop.example/back",
  cancelUrl: "https://shop.example/cancelled",
};

export const payer: Payer = { email: "payer@example.com", name: null, phone: "+60123456789" };

export function payment(change: Partial<BeginPayment> = {}): BeginPayment {
  const id = newId();
  return {
    key: `key-${id}`,
    reference: id,
    payer,
    title: "Annual dinner",
    amount: 12_345,
    currency: "MYR",
    expiresAt: inHalfAnHour(),
    ...addresses,
    ...change,
  };
}

export function saving(): SaveMethod {
  const id = newId();
  return {
    key: `key-${id}`,
    reference: id,
    payer,
    title: "Save a card",
    expiresAt: inHalfAnHour(),
    ...addresses,
  };
}

export function charging(methodId: string, amount = 5_000): Charge {
  const id = newId();
  return {
    key: `key-${id}`,
    reference: id,
    payer,
    title: "October",
    amount,
    currency: "MYR",
    methodId,
  };
}

/** The charge with what the gateway prepared for it, where it prepares charges. */
export async function prepared(
  gateway: Gateway,
  connection: Connection,
  charge: Charge,
): Promise<Charge> {
  if (gateway.prepare === null) return charge;
  const answer = await gateway.prepare(connection, charge);
  if (answer.kind !== "prepared") throw new Error(`nothing was prepared: ${answer.kind}`);
  return { ...charge, gatewayId: answer.gatewayId };
}

/** What we keep of a charge that was sent just now. */
export const hintOf = ({ gatewayId }: Charge): Hint => ({
  gatewayId: gatewayId ?? null,
  since: new Date().toISOString(),
});
