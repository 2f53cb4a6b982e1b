import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, AmountOut, Currency, Day, Description, Id, limits, MinorAmount, Name, Timestamp } from "./fields";
import { listQuery } from "./lists";

export const frequencies = ["daily", "weekly", "biweekly", "monthly", "quarterly", "half_yearly", "yearly"] as const;
export const packageStatuses = ["active", "cancel"] as const;

export const PackageInput = z
  .object({
    name: Name(limits.packageName),
    amount: MinorAmount,
    currency: Currency,
    frequency: z.enum(frequencies),
    date_charge_start: Day.describe("The anchor of every period, in the business's time zone."),
    description: Description.optional(),
  })
  .meta({ id: "PackageInput" });

export const PackageUpdate = PackageInput.extend({ status: z.enum(packageStatuses).optional() }).meta({ id: "PackageUpdate" });

export const Package = z
  .object({
    _id: Id,
    name: z.string(),
    description: z.string().nullable(),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    frequency: z.enum(frequencies),
    currency: z.string(),
    date_charge_start: z.string().meta({ format: "date" }),
    business_id: z.int(),
    status: z.enum(packageStatuses),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Package" });

export type PackageInput = z.output<typeof PackageInput>;
export type PackageUpdate = z.output<typeof PackageUpdate>;
export type Package = z.output<typeof Package>;

export const PackageParams = z.object({ package_id: Id });
export const PackageQuery = listQuery(["currency", "amount_min", "amount_max", "created_from", "created_to", "q"], packageStatuses, true);
export type PackageQuery = z.output<typeof PackageQuery>;

const tag = "Packages";
const one = { params: PackageParams, response: Package, tag };

export const createPackage = endpoint({ id: "createPackage", method: "POST", path: "/packages", tag, summary: "Create a package", body: PackageInput, response: Package });
export const listPackages = endpoint({ id: "listPackages", method: "GET", path: "/packages", tag, summary: "List packages", query: PackageQuery, response: page(Package) });
export const getPackage = endpoint({ ...one, id: "getPackage", method: "GET", path: "/packages/{package_id}", summary: "Get a package" });
export const updatePackage = endpoint({
  ...one, id: "updatePackage", method: "PUT", path: "/packages/{package_id}", summary: "Update a package", body: PackageUpdate,
  description: "Replaces. Amount, frequency, currency and start are frozen once anybody has subscribed (409). An absent `status` stays as it is.",
});
export const deletePackage = endpoint({
  ...one, id: "deletePackage", method: "DELETE", path: "/packages/{package_id}", summary: "Delete a package", description: "409 while a live subscription stands on it.",
});
