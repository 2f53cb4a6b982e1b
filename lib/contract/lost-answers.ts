import * as z from "zod";
import { endpoint } from "./endpoint";
import { Currency, MinorAmount } from "./fields";
import { Payment } from "./payments";
import { TokenParams } from "./tokenizations";
import { requestOutcomes } from "./values";

/** What the dashboard asks before and after it moves money: recent equal charges, and the outcome of a request after its response was lost. */

export const RequestOutcomeInput = z
  .object({
    method: z.enum(["POST", "PUT", "DELETE"]),
    path: z
      .string()
      .max(300)
      .regex(/^\/api\/[\x21-\x3e\x40-\x7e]+$/)
      .meta({ description: "As it was called, without the query." }),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/)
      .meta({ description: "The key that the request was sent with." }),
  })
  .meta({ id: "RequestOutcomeInput" });

export const RequestOutcome = z
  .object({
    outcome: z.enum(requestOutcomes).meta({
      description:
        "`ran`: the same request under the same key gets its answer. `running`: ask again. `never_ran`: it changed nothing, and a request that arrives late is refused.",
    }),
  })
  .meta({ id: "RequestOutcome" });

const shared = { tag: "Payments", access: "staff" } as const;

export const settleRequest = endpoint({
  ...shared,
  id: "settleRequest",
  method: "POST",
  path: "/requests/settle",
  summary: "Settle a request without a response",
  body: RequestOutcomeInput,
  response: RequestOutcome,
  description: "A request that has not run by now never will: its key is used up.",
});

export const EqualCharges = z
  .object({
    minutes: z.int().meta({ description: "How far back was looked, in minutes." }),
    payments: z.array(Payment),
  })
  .meta({ id: "EqualCharges" });
export type EqualCharges = z.output<typeof EqualCharges>;

export const listEqualCharges = endpoint({
  ...shared,
  id: "listEqualCharges",
  method: "GET",
  path: "/tokenizations/{token}/equal-charges",
  summary: "Equal charges a short time ago",
  params: TokenParams,
  query: z.object({ amount: MinorAmount, currency: Currency }),
  response: EqualCharges,
  description:
    "Charges of the same saved method, amount and currency, the newest first, without those that failed or were cancelled.",
});
