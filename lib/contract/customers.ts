import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  AmountDecimal,
  AmountOut,
  BusinessId,
  CurrencyOut,
  Description,
  Email,
  Id,
  Name,
  PhoneNo,
  Timestamp,
} from "./fields";
import { type FilterName, filters, listQuery, searchOf } from "./lists";
import { rule } from "./messages";
import { limits } from "./values";
import { SeenVersion, VersionOut } from "./versions";

/** A BCP 47 tag of a language, with a script or region where that matters. */
const Language = rule(z.string().min(1, { abort: true }), "selected", (tag) =>
  /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/.test(tag),
).meta({
  id: "Language",
  description:
    "A language as a BCP 47 tag: the language in lower case, then a script or a region where that matters.",
  examples: ["ms"],
});

export const CustomerInput = z
  .object({
    email: Email.describe("One customer for each address, without case. It never changes."),
    name: Name(limits.customerName).optional().describe("Who the customer is."),
    phone_no: PhoneNo.optional().describe("Under which number they are reached."),
    language: Language.optional(),
    notes: Description.optional().describe(
      "For your team and your programs. Signed-in viewers and events do not have them.",
    ),
  })
  .meta({
    id: "CustomerInput",
    examples: [
      {
        email: "ana@example.com",
        name: "Ana Costa",
        phone_no: "+60123456789",
        language: "ms",
        notes: "Pays by bank transfer. Call after 17:00.",
      },
    ],
  });

export const CustomerUpdate = CustomerInput.omit({ email: true })
  .extend({ version: SeenVersion })
  .meta({
    id: "CustomerUpdate",
    examples: [{ name: "Ana Costa", phone_no: "+60123456789" }],
  });

const customerExample = {
  _id: "6740f0b27e1a4c5d90b6f811",
  email: "ana@example.com",
  name: "Ana Costa",
  phone_no: "+60123456789",
  language: "ms",
  notes: "Pays by bank transfer. Call after 17:00.",
  business_id: 1001,
  version: 1,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const Customer = z
  .object({
    _id: Id,
    email: z.string(),
    name: z.string().nullable(),
    phone_no: z
      .string()
      .nullable()
      .meta({ description: "At first the number of the link, token or subscription." }),
    language: z.string().nullable(),
    notes: z
      .string()
      .nullable()
      .meta({ description: "Null where there are none, and for signed-in viewers." }),
    business_id: BusinessId,
    version: VersionOut,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Customer", examples: [customerExample] });

/** What events carry: notes are for the business alone and stay out. */
const { notes: _notes, ...eventExample } = customerExample;
export const CustomerEventData = Customer.omit({ notes: true }).meta({
  id: "CustomerEventData",
  examples: [eventExample],
});

const amount = (description: string) => AmountOut.describe(`${description}, in minor units.`);

export const CustomerTotals = z
  .array(
    z.object({
      currency: CurrencyOut,
      payments: z.int().describe("Payments that succeeded."),
      paid: amount("What they took"),
      paid_decimal: AmountDecimal,
      refunded: amount("What went back by refunds"),
      refunded_decimal: AmountDecimal,
      disputed: amount("What the payer's bank has taken back"),
      disputed_decimal: AmountDecimal,
      open_links: z.int().describe("Payment links that wait to be paid."),
      open: amount("Their amount"),
      open_decimal: AmountDecimal,
    }),
  )
  .meta({
    id: "CustomerTotals",
    examples: [
      [
        {
          currency: "MYR",
          payments: 3,
          paid: 37650,
          paid_decimal: "376.50",
          refunded: 5000,
          refunded_decimal: "50.00",
          disputed: 0,
          disputed_decimal: "0.00",
          open_links: 1,
          open: 12550,
          open_decimal: "125.50",
        },
      ],
    ],
  });

export type CustomerInput = z.output<typeof CustomerInput>;
export type CustomerUpdate = z.output<typeof CustomerUpdate>;
export type Customer = z.output<typeof Customer>;
export type CustomerTotals = z.output<typeof CustomerTotals>;

export const CustomerParams = z.object({ customer_id: Id });
/** The filters that read each field; none for a text that only the search reads, or that nothing reads. */
const fieldFilters = {
  email: ["email"],
  name: [],
  phone_no: [],
  language: [],
  notes: [],
} as const satisfies Record<keyof CustomerInput, readonly FilterName[]>;

/** Ids instead of addresses: those would be in the logs of proxies. */
const customersOf = (records: string) =>
  filters.ids.optional().meta({
    description: `The customers of these ${records} alone: at most 100 ids, separated by commas.`,
  });

export const CustomerQuery = listQuery(
  [...Object.values(fieldFilters).flat(), "created_from", "created_to"],
  ["-"] as const,
  ["email"],
)
  .omit({ status: true })
  .extend({
    payment_link_ids: customersOf("payment links"),
    payment_ids: customersOf("payments"),
    q: searchOf("Part of the name, phone number or e-mail address, or an id."),
  });
export type CustomerQuery = z.output<typeof CustomerQuery>;

const tag = "Customers";
const one = { params: CustomerParams, response: Customer, tag };

export const createCustomer = endpoint({
  id: "createCustomer",
  method: "POST",
  path: "/customers",
  tag,
  summary: "Create a customer",
  body: CustomerInput,
  response: Customer,
  description:
    "Before the first link, token or subscription, which would create it. An address that has a customer is a 422 on `email`.",
});
export const listCustomers = endpoint({
  id: "listCustomers",
  method: "GET",
  path: "/customers",
  tag,
  summary: "List customers",
  description: "Newest first. One record for each e-mail address, whatever its case.",
  query: CustomerQuery,
  response: page(Customer),
  hidesFromViewers: true,
});
export const getCustomer = endpoint({
  ...one,
  id: "getCustomer",
  method: "GET",
  path: "/customers/{customer_id}",
  summary: "Get a customer",
  description: "The record with the version that an update can be based on.",
  hidesFromViewers: true,
});
export const updateCustomer = endpoint({
  ...one,
  id: "updateCustomer",
  method: "PUT",
  path: "/customers/{customer_id}",
  summary: "Update a customer",
  versioned: true,
  body: CustomerUpdate,
  description:
    "Replaces: an absent field becomes null. The address stays; a link that is given another address belongs to that customer from then on.",
});
export const getCustomerTotals = endpoint({
  id: "getCustomerTotals",
  method: "GET",
  path: "/customers/{customer_id}/totals",
  tag,
  summary: "What a customer has paid and owes",
  params: CustomerParams,
  response: CustomerTotals,
  description: "One entry for each currency.",
});
