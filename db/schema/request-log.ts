import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, real, smallint, text, uuid } from "drizzle-orm/pg-core";
import { at, owner } from "../columns";
import { tenantRules } from "./keys";

/** Calls by keys and staff, written in batches after the answer; secrets are masked before they come here. Kept for REQUEST_LOG_DAYS. */
export const requestLog = pgTable(
  "request_log",
  {
    ...owner(),
    /** The request id, which begins with its moment: rows come in the order of their key, and no other index need be kept for that. */
    id: uuid("id").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    query: text("query"),
    status: smallint("status").notNull(),
    /** Milliseconds. */
    duration: real("duration").notNull(),
    keyId: text("key_id"),
    userId: text("user_id"),
    ipAddress: text("ip_address").notNull(),
    userAgent: text("user_agent"),
    idempotencyKey: text("idempotency_key"),
    /** JSON of the request's headers; text, since nothing ever looks inside. */
    requestHeaders: text("request_headers").notNull(),
    requestBody: text("request_body"),
    responseBody: text("response_body"),
    createdAt: at("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.mode, t.id] }),
    index("request_log_failed").on(t.businessId, t.mode, t.id).where(sql`${t.status} >= 400`),
    index("request_log_age").using("brin", t.createdAt),
    ...tenantRules(t),
  ],
);
