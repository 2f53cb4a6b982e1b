import { sql } from "drizzle-orm";
import {
  boolean,
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
import { callbackStatuses, shopPlugins } from "../../lib/contract/values";
import { at, claims, owner, stamps } from "../columns";
import { tenantRules } from "./keys";
import { paymentLinks } from "./payment-links";

/** A shop plugin that speaks the interface at `/api/v1`, of one business and one mode. */
export const integrations = pgTable(
  "integrations",
  {
    ...owner(),
    id: text("id").notNull(),
    /** Counts the integrations of a business: plugins cast their id to digits. */
    number: integer("number").notNull(),
    name: text("name").notNull(),
    plugin: text("plugin", { enum: shopPlugins }).notNull(),
    passwordDigest: text("password_digest").notNull(),
    apiKeyDigest: text("api_key_digest").notNull(),
    /** Sealed, and not only a digest: plugins ask for it again. */
    apiKey: text("api_key").notNull(),
    /** Sealed: signs callbacks. */
    signatureKey: text("signature_key").notNull(),
    /** The people who were shown a password since the keys were last replaced: they may know the keys too. */
    passwordShownTo: text("password_shown_to").array().notNull().default(sql`'{}'`),
    keysReplacedAt: at("keys_replaced_at"),
    /** When the plugin last read the keys that replaced others, until its shop had saved them. */
    keysReadAt: at("keys_read_at"),
    /** The digest of the API key that the shop was last known to have saved. While it is the present one, the shop has the signature key too. */
    savedKeyDigest: text("saved_key_digest"),
    lastSeenAt: at("last_seen_at"),
    revokedAt: at("revoked_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("integrations_number").on(t.businessId, t.number),
    index("integrations_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    ...tenantRules(t),
    check("integrations_name_length", sql`char_length(${t.name}) between 1 and 100`),
  ],
);

/** What a sign-in hands out, as a digest. */
export const integrationTokens = pgTable(
  "integration_tokens",
  {
    businessId: integer("business_id").notNull(),
    digest: text("digest").notNull(),
    integrationId: text("integration_id").notNull(),
    expiresAt: at("expires_at").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.digest] }),
    index("integration_tokens_of").on(t.businessId, t.integrationId, t.expiresAt),
    foreignKey({
      columns: [t.businessId, t.integrationId],
      foreignColumns: [integrations.businessId, integrations.id],
      name: "integration_tokens_integration",
    }),
    ...tenantRules(t),
  ],
);

/** Where a plugin wants its `payment.created` callbacks. A deleted row stays: its callbacks refer to it. */
export const integrationHooks = pgTable(
  "integration_hooks",
  {
    ...owner(),
    id: text("id").notNull(),
    integrationId: text("integration_id").notNull(),
    url: text("url").notNull(),
    enabled: boolean("enabled").notNull().default(true),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("integration_hooks_of").on(t.businessId, t.integrationId, t.createdAt, t.id),
    foreignKey({
      columns: [t.businessId, t.integrationId],
      foreignColumns: [integrations.businessId, integrations.id],
      name: "integration_hooks_integration",
    }),
    ...tenantRules(t),
  ],
);

/** One attempt to deliver a callback, and what the shop said. */
export type CallbackAttempt = {
  at: string;
  statusCode: number | null;
  error: string | null;
  response: string | null;
  durationMs: number;
};

/** One row for each hook and paid link, with an id made from both; `next_try_at` is set exactly while it is pending. */
export const integrationCallbacks = pgTable(
  "integration_callbacks",
  {
    ...owner(),
    id: text("id").notNull(),
    integrationId: text("integration_id").notNull(),
    hookId: text("hook_id").notNull(),
    paymentLinkId: text("payment_link_id").notNull(),
    paymentId: text("payment_id").notNull(),
    /** The bytes of every attempt: text, because the order of the keys is signed. Null until the first attempt. */
    body: text("body"),
    status: text("status", { enum: callbackStatuses }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    history: jsonb("history").$type<CallbackAttempt[]>().notNull().default(sql`'[]'`),
    nextTryAt: at("next_try_at"),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("integration_callbacks_due")
      .on(t.businessId, t.hookId, t.nextTryAt)
      .where(sql`${t.nextTryAt} is not null`),
    index("integration_callbacks_of").on(t.businessId, t.integrationId, t.createdAt, t.id),
    index("integration_callbacks_link").on(t.businessId, t.paymentLinkId),
    index("integration_callbacks_age").on(t.createdAt),
    foreignKey({
      columns: [t.businessId, t.hookId],
      foreignColumns: [integrationHooks.businessId, integrationHooks.id],
      name: "integration_callbacks_hook",
    }),
    foreignKey({
      columns: [t.businessId, t.paymentLinkId],
      foreignColumns: [paymentLinks.businessId, paymentLinks.id],
      name: "integration_callbacks_link",
    }),
    ...tenantRules(t),
    check(
      "integration_callbacks_due_while_pending",
      sql`(${t.status} = 'pending') = (${t.nextTryAt} is not null)`,
    ),
  ],
);
