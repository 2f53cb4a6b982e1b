import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { modes } from "../../lib/contract/values";
import { enumChecks } from "../columns";

export const directoryKinds = [
  "api_key",
  "gateway_connection",
  "integration",
  "invitation",
  "payment",
  "payment_link",
  "tokenization",
] as const;
export type DirectoryKind = (typeof directoryKinds)[number];

/** Finds the business of a record when only its id or the digest of its secret is known. The statement that writes a record writes its row here. */
export const directory = pgTable(
  "directory",
  {
    kind: text("kind", { enum: directoryKinds }).notNull(),
    /** An id, or a SHA-256 digest. */
    key: text("key").notNull(),
    /** 0 for an invitation to create a business. */
    businessId: integer("business_id").notNull(),
    /** Null for an invitation, which is not of one mode. */
    mode: text("mode", { enum: modes }),
  },
  (t) => [primaryKey({ columns: [t.key, t.kind] }), ...enumChecks(t)],
);
