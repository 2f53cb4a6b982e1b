import { sql } from "drizzle-orm";
import { foreignKey, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at, owner, stamps } from "../columns";
import { packages } from "./packages";
import { tokenizations } from "./tokenizations";

/** `cancel` is written exactly so: the interface document's word for a cancelled subscription. */
export const subscriptionStatuses = ["created", "active", "past_due", "halted", "cancel"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const subscriptions = pgTable(
  "subscriptions",
  {
    ...owner(),
    id: text("id").notNull(),
    packageId: text("package_id").notNull(),
    email: text("email").notNull(),
    phoneNo: text("phone_no"),
    status: text("status", { enum: subscriptionStatuses }).notNull().default("created"),
    /** The payer's saved method; changing the e-mail clears it. */
    tokenizationId: text("tokenization_id"),
    cancelledAt: at("cancelled_at"),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("subscriptions_newest").on(t.businessId, t.mode, t.createdAt, t.id).where(sql`${t.deletedAt} is null`),
    index("subscriptions_status").on(t.businessId, t.mode, t.status).where(sql`${t.deletedAt} is null`),
    index("subscriptions_package").on(t.businessId, t.packageId),
    index("subscriptions_email").on(t.businessId, t.mode, sql`lower(${t.email})`),
    foreignKey({ columns: [t.businessId, t.packageId], foreignColumns: [packages.businessId, packages.id] }),
    foreignKey({ columns: [t.businessId, t.tokenizationId], foreignColumns: [tokenizations.businessId, tokenizations.id] }),
  ],
);
