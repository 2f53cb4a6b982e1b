import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  BusinessId,
  Currency,
  Description,
  Email,
  exampleOrigin,
  Id,
  MinorAmount,
  PhoneNo,
  Reference,
  Timestamp,
  Title,
  UrlOut,
  WebUrl,
} from "./fields";
import { type FilterName, listQuery, searchOf } from "./lists";
import { Payment } from "./payments";
import { tokenizationStatuses } from "./values";

export const TokenizationInput = z
  .object({
    email: Email.describe("Payer's email address."),
    phone_no: PhoneNo.optional().describe("Payer's phone number."),
    redirect_url: WebUrl.optional().describe(
      "Where the payer is sent afterwards. Default: the thank-you page.",
    ),
    title: Title,
    description: Description,
  })
  .meta({
    id: "TokenizationInput",
    examples: [
      {
        email: "ana@example.com",
        title: "Gold membership",
        description: "Your card for the monthly fee",
        phone_no: "+60123456789",
      },
    ],
  });

const tokenExample = "4f1d9c0e7ab8236552ce90bd1f8a7743e60d2b95c81f7a3e4d6b0c9f2e1a8d57";
const tokenizationExample = {
  _id: "6740f3b27e1a4c5d90b6f823",
  email: "ana@example.com",
  phone_no: "+60123456789",
  redirect_url: null,
  title: "Gold membership",
  description: "Your card for the monthly fee",
  token: tokenExample,
  activation_url: `${exampleOrigin}/activate/${tokenExample}?test=true`,
  status: "pending",
  payment_method: null,
  business_id: 1001,
  expires_at: "2026-11-23T13:34:45.423258Z",
  activated_at: null,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const Tokenization = z
  .object({
    _id: Id,
    email: z.string(),
    phone_no: z.string().nullable(),
    redirect_url: UrlOut.nullable(),
    title: z.string(),
    description: z.string(),
    token: z
      .string()
      .meta({ description: "64 hexadecimal characters: a bearer secret, keep it as such." }),
    activation_url: UrlOut.describe("Where the payer saves a payment method."),
    status: z.enum(tokenizationStatuses),
    payment_method: z
      .object({ brand: z.string(), last4: z.string(), exp: z.string() })
      .nullable()
      .meta({
        description:
          "What the payer saved: `brand`, `last4`, `exp`; null until the token is active.",
      }),
    business_id: BusinessId,
    expires_at: Timestamp.describe("A token that is not activated by then is `expired`."),
    activated_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Tokenization", examples: [tokenizationExample] });

/** The record as reads answer it: viewers get no token. */
export const SeenTokenization = Tokenization.extend({
  token: Tokenization.shape.token.nullable().meta({
    description:
      "A bearer secret, keep it as such. Null for signed-in viewers, and where it was sealed under another `KUTIP_SECRET`.",
  }),
  activation_url: UrlOut.nullable().describe(
    "Where the payer saves a payment method. Null where `token` is.",
  ),
}).meta({ id: "SeenTokenization", examples: [tokenizationExample] });

/** What events carry: a token and its address are secrets and stay out. */
const { token: _token, activation_url: _activationUrl, ...eventExample } = tokenizationExample;
export const TokenizationEventData = Tokenization.omit({ token: true, activation_url: true }).meta({
  id: "TokenizationEventData",
  examples: [eventExample],
});

export const TokenChargeInput = z
  .object({
    amount: MinorAmount,
    currency: Currency,
    title: Title,
    reference: Reference.optional(),
  })
  .meta({
    id: "TokenChargeInput",
    examples: [
      { amount: 4900, currency: "MYR", title: "Membership, February", reference: "INV-1043" },
    ],
  });

export type TokenizationInput = z.output<typeof TokenizationInput>;
export type Tokenization = z.output<typeof Tokenization>;
export type SeenTokenization = z.output<typeof SeenTokenization>;
export type TokenChargeInput = z.output<typeof TokenChargeInput>;

/** The token, or the record's `_id`. */
export const TokenParams = z.object({
  token: z
    .string()
    .regex(/^([0-9a-f]{64}|[0-9a-f]{24})$/)
    .meta({
      description: "The token, or the record's `_id`.",
      examples: ["6740f3b27e1a4c5d90b6f823"],
    }),
});

/** The filters that read each field; none for a text that only the search reads. A new filter is declared in `lists.ts` first. */
const fieldFilters = {
  email: ["email"],
  phone_no: [],
  redirect_url: [],
  title: [],
  description: [],
} as const satisfies Record<keyof TokenizationInput, readonly FilterName[]>;

export const TokenizationQuery = listQuery(
  [...Object.values(fieldFilters).flat(), "created_from", "created_to", "q"],
  tokenizationStatuses,
).extend({ q: searchOf("Part of the title or e-mail address, or an id.") });
export type TokenizationQuery = z.output<typeof TokenizationQuery>;

const tag = "Tokenizations";
const one = { params: TokenParams, response: SeenTokenization, tag };

export const createToken = endpoint({
  id: "createToken",
  method: "POST",
  path: "/tokenizations/create-token",
  tag,
  money: true,
  summary: "Create a token",
  body: TokenizationInput,
  response: Tokenization,
  conflict: "No connected gateway saves payment methods.",
  description:
    "The payer opens `activation_url` and saves a payment method; the token then can be charged. Otherwise it expires after 72 hours.",
});
export const listTokenizations = endpoint({
  id: "listTokenizations",
  method: "GET",
  path: "/tokenizations",
  tag,
  summary: "List tokenizations",
  description: "Newest first, with revoked and expired ones.",
  query: TokenizationQuery,
  response: page(SeenTokenization),
  hidesFromViewers: true,
});
export const getTokenization = endpoint({
  ...one,
  id: "getTokenization",
  method: "GET",
  path: "/tokenizations/{token}",
  summary: "Get a tokenization",
  description: "Its status, and the saved payment method once the payer has saved one.",
  hidesFromViewers: true,
});
export const chargeToken = endpoint({
  id: "chargeToken",
  method: "POST",
  path: "/tokenizations/{token}/charge",
  tag,
  money: true,
  params: TokenParams,
  body: TokenChargeInput,
  response: Payment,
  summary: "Charge a token",
  description:
    "Answers 200 with the payment whatever became of it: read its `status`. A receipt is written to the payer when it succeeds.",
  conflict: "The token is not active.",
});
export const revokeTokenization = endpoint({
  ...one,
  id: "revokeTokenization",
  method: "DELETE",
  path: "/tokenizations/{token}",
  summary: "Revoke a token",
  description: "The record stays readable.",
  conflict: "The token has expired.",
});
