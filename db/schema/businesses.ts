import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at, bytea, enumChecks, stamps } from "../columns";
import type { Reminder } from "../../lib/contract/reminders";
import { modes, roles } from "../../lib/contract/values";
import { users } from "./auth";
import { versioned } from "./versions";

/** The digest names it; sides in pixels. */
export type Logo = { digest: string; width: number; height: number };

/** One install serves many businesses; everything else belongs to one of these. */
export const businesses = pgTable("businesses", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity({ startWith: 1001 }),
  name: text("name").notNull(),
  timeZone: text("time_zone").notNull().default("UTC"),
  defaultCurrency: text("default_currency").notNull().default("USD"),
  accent: text("accent"),
  /** What pages need to show it; the bytes are in `business_logos`. */
  logo: jsonb("logo").$type<Logo>(),
  supportEmail: text("support_email"),
  supportPhone: text("support_phone"),
  /** Days after a subscription's first failed charge at which it is tried again. */
  retryDays: integer("retry_days").array().notNull().default(sql`'{1,3,5,7}'`),
  /** When payers of links without a schedule of their own are reminded; empty: never. */
  reminders: jsonb("reminders").$type<Reminder[]>().notNull().default(sql`'[]'`),
  /** Links that were created before have no default reminders. */
  remindersSince: at("reminders_since"),
  /** Sealed: signs the hash of the return address, one per mode. */
  signingSecretTest: text("signing_secret_test").notNull(),
  signingSecretLive: text("signing_secret_live").notNull(),
  ...versioned(),
  ...stamps(),
});

/** The logos of businesses, at most one each. */
export const businessLogos = pgTable(
  "business_logos",
  {
    businessId: integer("business_id")
      .primaryKey()
      .references(() => businesses.id),
    digest: text("digest").notNull(),
    type: text("type", { enum: ["image/png", "image/jpeg", "image/webp"] }).notNull(),
    bytes: bytea("bytes").notNull(),
    /** False for one from before logos were scaled and encoded at upload, until a receipt needs it. */
    encoded: boolean("encoded").notNull().default(false),
    ...stamps(),
  },
  (t) => [index("business_logos_digest").on(t.digest), ...enumChecks(t)],
);

/** Who may act for which business, and how far. */
export const memberships = pgTable(
  "memberships",
  {
    businessId: integer("business_id")
      .notNull()
      .references(() => businesses.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role", { enum: roles }).notNull(),
    /** Joined by a copied link: open to the account before its address is proven. */
    joinedByLink: boolean("joined_by_link").notNull().default(false),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.userId] }),
    index("memberships_user").on(t.userId),
    ...enumChecks(t),
  ],
);

/** Keys are shown once and kept only as a digest; `mode` says which half of the records a key sees. */
export const apiKeys = pgTable(
  "api_keys",
  {
    businessId: integer("business_id")
      .notNull()
      .references(() => businesses.id),
    mode: text("mode", { enum: modes }).notNull(),
    id: text("id").notNull(),
    digest: text("digest").notNull(),
    name: text("name").notNull(),
    lastFour: text("last_four").notNull(),
    createdBy: text("created_by"),
    lastUsedAt: at("last_used_at"),
    expiresAt: at("expires_at"),
    revokedAt: at("revoked_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("api_keys_digest").on(t.businessId, t.digest),
    ...enumChecks(t),
  ],
);
