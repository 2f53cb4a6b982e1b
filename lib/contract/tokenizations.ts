import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { Currency, Description, Email, Id, MinorAmount, PhoneNo, Reference, Timestamp, Title, WebUrl } from "./fields";
import { listQuery } from "./lists";
import { Payment } from "./payments";

export const tokenizationStatuses = ["pending", "active", "revoked", "expired"] as const;

export const TokenizationInput = z
  .object({
    email: Email.describe("Payer's email address."),
    phone_no: PhoneNo.optional().describe("Payer's phone number."),
    redirect_url: WebUrl.optional().describe("Where the payer is sent afterwards; when absent, to the thank-you page."),
    title: Title,
    description: Description,
  })
  .meta({ id: "TokenizationInput" });

export const Tokenization = z
  .object({
    _id: Id,
    email: z.string(),
    phone_no: z.string().nullable(),
    redirect_url: z.string().nullable(),
    title: z.string(),
    description: z.string(),
    token: z.string().meta({ description: "64 hexadecimal characters: a bearer secret, keep it as such." }),
    activation_url: z.string(),
    status: z.enum(tokenizationStatuses),
    payment_method: z.object({ brand: z.string(), last4: z.string(), exp: z.string() }).nullable(),
    business_id: z.int(),
    expires_at: Timestamp,
    activated_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Tokenization" });

/** What events carry: a token and its address are secrets and stay out. */
export const TokenizationEventData = Tokenization.omit({ token: true, activation_url: true });

export const TokenChargeInput = z
  .object({ amount: MinorAmount, currency: Currency, title: Title, reference: Reference.optional() })
  .meta({ id: "TokenChargeInput" });

export type TokenizationInput = z.output<typeof TokenizationInput>;
export type Tokenization = z.output<typeof Tokenization>;
export type TokenChargeInput = z.output<typeof TokenChargeInput>;

/** The token, or the record's `_id`. */
export const TokenParams = z.object({
  token: z.string().regex(/^([0-9a-f]{64}|[0-9a-f]{24})$/).meta({ description: "The token, or the record's `_id`." }),
});

export const TokenizationQuery = listQuery(["email", "created_from", "created_to", "q"], tokenizationStatuses);
export type TokenizationQuery = z.output<typeof TokenizationQuery>;

const tag = "Tokenizations";
const one = { params: TokenParams, response: Tokenization, tag };

export const createToken = endpoint({
  id: "createToken", method: "POST", path: "/tokenizations/create-token", tag, money: true, summary: "Create a token", body: TokenizationInput, response: Tokenization,
  description: "The payer opens `activation_url` and saves a payment method; the token then can be charged. It expires after 72 hours when nobody does.",
});
export const listTokenizations = endpoint({
  id: "listTokenizations", method: "GET", path: "/tokenizations", tag, summary: "List tokenizations", query: TokenizationQuery, response: page(Tokenization),
});
export const getTokenization = endpoint({ ...one, id: "getTokenization", method: "GET", path: "/tokenizations/{token}", summary: "Get a tokenization" });
export const chargeToken = endpoint({
  id: "chargeToken", method: "POST", path: "/tokenizations/{token}/charge", tag, money: true, params: TokenParams, body: TokenChargeInput, response: Payment,
  summary: "Charge a token", description: "Answers 200 with the payment whatever became of it: read its `status`. 409 when the token is not active.",
});
export const revokeTokenization = endpoint({
  ...one, id: "revokeTokenization", method: "DELETE", path: "/tokenizations/{token}", summary: "Revoke a token", description: "The record stays readable.",
});
