import type { Customer } from "@/lib/contract/customers";
import type { Ctx } from "../context";
import type { CustomerRow } from "./rows";

/** What events carry: the record without its notes. */
export function presentForEvent(row: CustomerRow): Omit<Customer, "notes"> {
  return {
    _id: row.id,
    email: row.email,
    name: row.name,
    phone_no: row.phoneNo,
    language: row.language,
    business_id: row.businessId,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** A customer as the API answers this caller: viewers get no notes. */
export const presentCustomer = ({ role }: Ctx, row: CustomerRow): Customer => ({
  ...presentForEvent(row),
  notes: role === "viewer" ? null : row.notes,
});
