import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  AmountDecimal,
  AmountOut,
  BusinessId,
  Currency,
  CurrencyOut,
  Day,
  Description,
  Id,
  MinorAmount,
  Name,
  Timestamp,
} from "./fields";
import { type FilterName, listQuery, searchOf } from "./lists";
import { frequencies, limits, packageStatuses } from "./values";
import { SeenVersion, VersionOut } from "./versions";

export const PackageInput = z
  .object({
    name: Name(limits.packageName).meta({
      description: "What it is called, for you and the subscriber.",
      examples: ["Gold membership"],
    }),
    amount: MinorAmount,
    currency: Currency,
    frequency: z
      .enum(frequencies)
      .meta({ description: "How often it is charged.", examples: ["monthly"] }),
    date_charge_start: Day.describe(
      "The day from which the first period runs, in the business's time zone; for a later subscription the day of that. Years 1970 to 2999.",
    ),
    description: Description.optional(),
  })
  .meta({
    id: "PackageInput",
    examples: [
      {
        name: "Gold membership",
        amount: 4900,
        currency: "MYR",
        frequency: "monthly",
        date_charge_start: "2027-01-31",
        description: "All classes",
      },
    ],
  });

export const PackageUpdate = PackageInput.extend({
  status: z
    .enum(packageStatuses)
    .optional()
    .meta({ description: "A cancelled package takes no new subscribers; those it has continue." }),
  version: SeenVersion,
}).meta({
  id: "PackageUpdate",
  examples: [
    {
      name: "Gold membership",
      amount: 4900,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: "2027-01-31",
      status: "active",
    },
  ],
});

export const packageExample = {
  _id: "6740f2a11c5b8e9f03d7a612",
  name: "Gold membership",
  description: "All classes",
  amount: 4900,
  amount_decimal: "49.00",
  frequency: "monthly",
  currency: "MYR",
  date_charge_start: "2027-01-31",
  business_id: 1001,
  status: "active",
  version: 1,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const Package = z
  .object({
    _id: Id,
    name: z.string(),
    description: z.string().nullable(),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    frequency: z.enum(frequencies),
    currency: CurrencyOut,
    date_charge_start: z.string().meta({ format: "date" }),
    business_id: BusinessId,
    status: z.enum(packageStatuses),
    version: VersionOut,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Package", examples: [packageExample] });

export const PackageDetail = Package.extend({
  subscribed: z.boolean().meta({
    description:
      "Whether it has had a subscriber, also one that was deleted since. Then amount, currency, frequency and `date_charge_start` cannot be changed any more.",
  }),
}).meta({ id: "PackageDetail", examples: [{ ...packageExample, subscribed: true }] });

export type PackageInput = z.output<typeof PackageInput>;
export type PackageUpdate = z.output<typeof PackageUpdate>;
export type Package = z.output<typeof Package>;
export type PackageDetail = z.output<typeof PackageDetail>;

export const PackageParams = z.object({ package_id: Id });
/** The filters that read each field; none for a text that only the search reads. */
const fieldFilters = {
  name: [],
  amount: ["amount_min", "amount_max"],
  currency: ["currency"],
  frequency: [],
  date_charge_start: [],
  description: [],
} as const satisfies Record<keyof PackageInput, readonly FilterName[]>;

export const PackageQuery = listQuery(
  [...Object.values(fieldFilters).flat(), "created_from", "created_to", "q"],
  packageStatuses,
  ["amount", "name"],
).extend({ q: searchOf("Part of the name, or an id.") });
export type PackageQuery = z.output<typeof PackageQuery>;

const tag = "Packages";
const one = { params: PackageParams, response: PackageDetail, tag };

export const createPackage = endpoint({
  id: "createPackage",
  method: "POST",
  path: "/packages",
  tag,
  summary: "Create a package",
  description:
    "Subscribers pay its amount once each period. The first period begins on `date_charge_start`, or on the day of the subscription if that is later.",
  body: PackageInput,
  response: Package,
});
export const listPackages = endpoint({
  id: "listPackages",
  method: "GET",
  path: "/packages",
  tag,
  summary: "List packages",
  description: "Newest first, with cancelled ones.",
  query: PackageQuery,
  response: page(Package),
});
export const getPackage = endpoint({
  ...one,
  id: "getPackage",
  method: "GET",
  path: "/packages/{package_id}",
  summary: "Get a package",
  description: "The record with the version that an update can be based on.",
});
export const updatePackage = endpoint({
  ...one,
  id: "updatePackage",
  method: "PUT",
  path: "/packages/{package_id}",
  summary: "Update a package",
  versioned: true,
  body: PackageUpdate,
  description: "Replaces. An absent `status` stays as it is.",
  conflict: "Amount, frequency, currency or start would change, and the package has subscribers.",
});
export const deletePackage = endpoint({
  ...one,
  response: PackageDetail,
  id: "deletePackage",
  method: "DELETE",
  path: "/packages/{package_id}",
  summary: "Delete a package",
  versioned: true,
  description: "Answers with the package as it last was.",
  conflict: "It has a subscription that is not cancelled.",
});
