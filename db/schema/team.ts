import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at, enumChecks, stamps } from "../columns";
import { modes, roles } from "../../lib/contract/values";
import { users } from "./auth";
import { businesses } from "./businesses";
import { tenantRules } from "./keys";

/** An offer by mail to join a business, or without one to make one. The mail and the copied link hold tokens of their own; here are their digests. */
export const invitations = pgTable(
  "invitations",
  {
    /** `NO_BUSINESS` for an invitation to create one. */
    businessId: integer("business_id").notNull(),
    id: text("id").notNull(),
    email: text("email").notNull(),
    role: text("role", { enum: roles }).notNull(),
    /** Of the token that was mailed, which proves the address. */
    digest: text("digest").notNull(),
    /** Of the token in the link that a member copied, which proves nothing; null until then. */
    linkDigest: text("link_digest"),
    invitedBy: uuid("invited_by").references(() => users.id, { onDelete: "set null" }),
    expiresAt: at("expires_at").notNull().default(sql`now() + interval '7 days'`),
    acceptedAt: at("accepted_at"),
    revokedAt: at("revoked_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("invitations_digest").on(t.businessId, t.digest),
    uniqueIndex("invitations_link_digest").on(t.businessId, t.linkDigest),
    index("invitations_business").on(t.businessId, t.createdAt, t.id),
    ...enumChecks(t),
  ],
);

/** What staff did, by business: append-only, and each entry's hash covers the one before. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    businessId: integer("business_id").notNull(),
    seq: bigint("seq", { mode: "number" }).notNull(),
    id: text("id").notNull(),
    mode: text("mode", { enum: modes }),
    actorKind: text("actor_kind").notNull(),
    actorId: text("actor_id"),
    action: text("action").notNull(),
    objectId: text("object_id"),
    address: text("address"),
    requestId: text("request_id"),
    /** JSON as text, since jsonb would not keep it letter by letter. */
    details: text("details").notNull(),
    hash: text("hash").notNull(),
    createdAt: at("created_at").notNull(),
    /** The entry of the erasure that took a payer's address out of `details`; `hash` is of the entry before that. */
    redactedBy: bigint("redacted_by", { mode: "number" }),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.seq] }),
    index("audit_entries_newest").on(t.businessId, t.createdAt, t.id),
    ...tenantRules(t),
  ],
);

/** The last entry of each business's chain: tells when the newest entries were cut off. */
export const auditHeads = pgTable("audit_heads", {
  businessId: integer("business_id")
    .primaryKey()
    .references(() => businesses.id),
  seq: bigint("seq", { mode: "number" }).notNull(),
  hash: text("hash").notNull(),
  /** Keyed, over the newest entry: `seq:hmac`. Null, or of an older entry, where a version that sets none wrote the newest. */
  seal: text("seal"),
});

/** The key of the audit chains, one row. It is the install's own, so that the chains outlast KUTIP_SECRET. */
export const auditKeys = pgTable("audit_keys", {
  id: integer("id").primaryKey(),
  /** Sealed: 32 bytes in base64url. */
  key: text("key").notNull(),
});
