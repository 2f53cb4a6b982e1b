import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at as moment } from "../columns";

// The tables of better-auth, in its shape: uuid ids, and moments as Date. Sessions hold only the digest of their token.

const at = (name: string) => timestamp(name, { precision: 6, withTimezone: true, mode: "date" });
const id = () => uuid("id").primaryKey().defaultRandom();
const dates = () => ({
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});
const userId = () =>
  uuid("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** People who sign in. Memberships say which business they may act for. */
export const users = pgTable(
  "auth_users",
  {
    id: id(),
    name: text("name").notNull(),
    /** In lower case. */
    email: text("email").notNull(),
    emailVerified: boolean("email_verified").notNull().default(false),
    image: text("image"),
    twoFactorEnabled: boolean("two_factor_enabled").default(false),
    ...dates(),
  },
  (t) => [uniqueIndex("auth_users_email").on(t.email)],
);

/** A trigger keeps `expires_at` within 30 days of `created_at`, and never moves it in a session of 12 hours. */
export const sessions = pgTable(
  "auth_sessions",
  {
    id: id(),
    userId: userId(),
    /** SHA-256 of what the cookie holds. */
    token: text("token").notNull(),
    expiresAt: at("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** When the person last proved who they are after the sign-in; null before that. */
    provenAt: at("proven_at"),
    ...dates(),
  },
  (t) => [
    uniqueIndex("auth_sessions_token").on(t.token),
    index("auth_sessions_user").on(t.userId),
    index("auth_sessions_age").on(t.expiresAt),
  ],
);

/** How a person proves who they are; here only a password (argon2id). */
export const accounts = pgTable(
  "auth_accounts",
  {
    id: id(),
    userId: userId(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: at("access_token_expires_at"),
    refreshTokenExpiresAt: at("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    ...dates(),
  },
  (t) => [uniqueIndex("auth_accounts_one").on(t.userId, t.providerId)],
);

/** Short-lived proofs (password reset, second factor under way); the identifier is a digest. */
export const verifications = pgTable(
  "auth_verifications",
  {
    id: id(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: at("expires_at").notNull(),
    ...dates(),
  },
  (t) => [
    index("auth_verifications_identifier").on(t.identifier),
    index("auth_verifications_age").on(t.expiresAt),
  ],
);

/** The authenticator app of a person: secret and recovery codes are encrypted. */
export const twoFactors = pgTable(
  "auth_two_factors",
  {
    id: id(),
    userId: userId(),
    secret: text("secret").notNull(),
    backupCodes: text("backup_codes").notNull(),
    verified: boolean("verified").default(true),
    failedVerificationCount: integer("failed_verification_count").default(0),
    lockedUntil: at("locked_until"),
  },
  (t) => [index("auth_two_factors_user").on(t.userId)],
);

export const passkeys = pgTable(
  "auth_passkeys",
  {
    id: id(),
    userId: userId(),
    name: text("name"),
    publicKey: text("public_key").notNull(),
    credentialID: text("credential_id").notNull(),
    counter: integer("counter").notNull(),
    deviceType: text("device_type").notNull(),
    backedUp: boolean("backed_up").notNull(),
    transports: text("transports"),
    createdAt: at("created_at").default(sql`now()`),
    aaguid: text("aaguid"),
  },
  (t) => [
    index("auth_passkeys_user").on(t.userId),
    uniqueIndex("auth_passkeys_credential").on(t.credentialID),
  ],
);

/** One-time codes seen lately: the same one does not open twice. */
export const usedCodes = pgTable(
  "auth_used_codes",
  {
    userId: userId(),
    digest: text("digest").notNull(),
    usedAt: moment("used_at").notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.userId, t.digest] })],
);
