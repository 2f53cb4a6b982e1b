import { sql } from "drizzle-orm";
import { boolean, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at, enumChecks, stamps } from "../columns";
import { modes } from "../../lib/contract/values";
import { businesses } from "./businesses";

/** An account at a gateway. The id is random and part of the callback's address. */
export const gatewayConnections = pgTable(
  "gateway_connections",
  {
    businessId: integer("business_id")
      .notNull()
      .references(() => businesses.id),
    mode: text("mode", { enum: modes }).notNull(),
    id: text("id").notNull(),
    gateway: text("gateway").notNull(),
    /** Sealed; null once the connection is revoked. */
    secret: text("secret"),
    /** Sealed. For gateways that sign callbacks with a secret of their own; their callbacks are rejected while it is null. */
    callbackSecret: text("callback_secret"),
    /** The gateway's own name of the account, and what its owner calls it. */
    account: text("account"),
    accountName: text("account_name"),
    /** The end of the secret, by which people tell keys apart. */
    lastFour: text("last_four"),
    /** Takes new attempts. A connection that takes none still finishes its open ones. */
    enabled: boolean("enabled").notNull().default(true),
    /** When staff last put it first. The newest of this and its creation is first where gateways offer the same method. */
    preferredAt: at("preferred_at"),
    /** When the gateway last accepted the secret. */
    checkedAt: at("checked_at"),
    lastCallbackAt: at("last_callback_at"),
    revokedAt: at("revoked_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("gateway_connections_account")
      .on(t.businessId, t.mode, t.gateway, sql`coalesce(${t.account}, '')`)
      .where(sql`${t.enabled}`),
    ...enumChecks(t),
  ],
);
