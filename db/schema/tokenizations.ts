import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { at, claims, owner, stamps } from "../columns";
import { tokenizationStatuses } from "../../lib/contract/values";
import { gatewayConnections } from "./gateway-connections";
import { tenantRules } from "./keys";

/** What the payer reads about the last attempt; `refused`: the gateway did not open a page. `processing`: the gateway has given no definite answer yet. */
export type ActivationNotice =
  | { kind: "declined"; reason: string }
  | { kind: "refused" }
  | { kind: "cancelled" }
  | { kind: "processing" };

export const tokenizations = pgTable(
  "tokenizations",
  {
    ...owner(),
    id: text("id").notNull(),
    /** SHA-256 of the token: the token itself is a bearer secret. */
    tokenDigest: text("token_digest").notNull(),
    /** Sealed, so that the business can copy the address again. */
    token: text("token").notNull(),
    email: text("email").notNull(),
    phoneNo: text("phone_no"),
    redirectUrl: text("redirect_url"),
    title: text("title").notNull(),
    description: text("description").notNull(),
    status: text("status", { enum: tokenizationStatuses }).notNull().default("pending"),
    expiresAt: at("expires_at").notNull(),
    activatedAt: at("activated_at"),
    gateway: text("gateway"),
    connectionId: text("connection_id"),
    /** The gateway's name for the saved method: sealed, never shown. */
    methodId: text("method_id"),
    brand: text("brand"),
    last4: text("last4"),
    exp: text("exp"),
    /** The last activation attempt at the gateway; its number makes the reference and the key. */
    attempt: integer("attempt").notNull().default(0),
    /** When it began; null once it is over. */
    attemptAt: at("attempt_at"),
    /** Its hosted page; pressing again returns there while it is open. */
    attemptUrl: text("attempt_url"),
    /** The gateway's own id of it. It stays while the gateway has not said how the attempt ended. */
    attemptGatewayId: text("attempt_gateway_id"),
    notice: jsonb("notice").$type<ActivationNotice>(),
    /** When the gateway is asked next; set exactly while an attempt is open. */
    nextCheckAt: at("next_check_at"),
    checks: integer("checks").notNull().default(0),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("tokenizations_digest").on(t.businessId, t.tokenDigest),
    index("tokenizations_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("tokenizations_email")
      .on(t.businessId, t.mode, sql`lower(${t.email})`)
      .where(sql`${t.status} = 'active'`),
    index("tokenizations_other_email")
      .on(t.businessId, t.mode, sql`lower(${t.email})`)
      .where(sql`${t.status} <> 'active'`),
    index("tokenizations_expiring")
      .on(t.businessId, t.expiresAt)
      .where(sql`${t.status} = 'pending'`),
    index("tokenizations_due_of")
      .on(t.businessId, sql`coalesce(${t.connectionId}, '')`, t.nextCheckAt)
      .where(sql`${t.nextCheckAt} is not null`),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.connectionId],
      foreignColumns: [gatewayConnections.businessId, gatewayConnections.id],
    }),
    check("tokenizations_open_attempt", sql`(${t.attemptAt} is null) = (${t.nextCheckAt} is null)`),
    check(
      "tokenizations_active_method",
      sql`${t.status} <> 'active' or (${t.methodId} is not null and ${t.connectionId} is not null and ${t.activatedAt} is not null)`,
    ),
    check("tokenizations_title_length", sql`char_length(${t.title}) between 1 and 50`),
  ],
);
