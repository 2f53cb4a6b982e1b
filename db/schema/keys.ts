import { foreignKey, type PgColumn } from "drizzle-orm/pg-core";
import { enumChecks } from "../columns";
import { businesses } from "./businesses";

/** What every table of a tenant has: a reference to its business, and the CHECKs of its lists of values. */
export const tenantRules = (columns: { businessId: PgColumn }) => [
  foreignKey({ columns: [columns.businessId], foreignColumns: [businesses.id] }),
  ...enumChecks(columns),
];
