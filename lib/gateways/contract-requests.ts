import { newId } from "@/lib/kernel/ids";
import type { BeginPayment, Connection, FindAnswer, Payer, SaveMethod } from "./gateway";

/** What the parts of the contract are given by the whole: its connection, and what was begun and paid through it. */
export type ContractSetting = {
  connection: () => Connection;
  begin: (request: BeginPayment) => Promise<string>;
  paid: (request?: BeginPayment) => Promise<BeginPayment>;
  findUntilKnown: (reference: string) => Promise<{ found: FindAnswer; unknowns: number }>;
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

export function charging(methodId: string, amount = 5_000) {
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
