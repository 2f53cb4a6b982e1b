import type { Package, PackageDetail } from "@/lib/contract/packages";
import { decimalAmount } from "@/lib/kernel/money";
import type { PackageRow } from "./rows";
import { isSubscribed } from "./rules";

/** A package as the API returns it, alone and inside its subscriptions. */
export function presentPackage(row: PackageRow): Package {
  return {
    _id: row.id,
    name: row.name,
    description: row.description,
    amount: row.amount,
    amount_decimal: decimalAmount(row.amount, row.currency),
    frequency: row.frequency,
    currency: row.currency,
    date_charge_start: row.dateChargeStart,
    business_id: row.businessId,
    status: row.status,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** The same with whether its terms may still change. */
export const presentPackageDetail = (row: PackageRow): PackageDetail => ({
  ...presentPackage(row),
  subscribed: isSubscribed(row),
});
