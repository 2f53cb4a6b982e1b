import { and, eq, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Mode } from "@/lib/contract/values";

/** Any context that names its business and mode. */
export type Owner = { readonly businessId: number; readonly mode: Mode };

/** The condition every statement on a tenant table starts from: this business, this mode, and whatever else is asked. */
export function owned(
  owner: Owner,
  table: { businessId: PgColumn; mode: PgColumn },
  ...conditions: Array<SQL | undefined>
): SQL {
  return and(
    eq(table.businessId, owner.businessId),
    eq(table.mode, owner.mode),
    ...conditions,
  ) as SQL;
}
