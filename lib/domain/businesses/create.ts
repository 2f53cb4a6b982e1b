import { insertConnection } from "../gateway-connections/rows";
import { randomBytes } from "node:crypto";
import { type Tx, withTransaction } from "@/db/client";
import { builtInGateways } from "@/lib/gateways/registry";
import { newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { type BusinessRow, insertBusiness } from "./rows";
import { settledZone } from "./time-zone";

export type NewBusiness = { name: string; timeZone?: string; defaultCurrency?: string };

/** Makes a business with its signing secrets; in test mode the built-in gateways are connected from the start. Throws 422 on `time_zone`. */
export async function createBusiness(input: NewBusiness, tx?: Tx): Promise<BusinessRow> {
  const make = async (on: Tx) => {
    const business = await insertBusiness(on, {
      name: input.name,
      ...(input.timeZone ? { timeZone: await settledZone(on, input.timeZone) } : {}),
      ...(input.defaultCurrency ? { defaultCurrency: input.defaultCurrency } : {}),
      signingSecretTest: seal(newToken(), "signing_secret"),
      signingSecretLive: seal(newToken(), "signing_secret"),
    });
    for (const gateway of builtInGateways)
      await insertConnection(on, {
        businessId: business.id,
        mode: "test",
        id: randomBytes(16).toString("hex"),
        gateway,
        secret: seal(newToken(), "gateway"),
      });
    return business;
  };
  return tx ? make(tx) : withTransaction(make);
}
