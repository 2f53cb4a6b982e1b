import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  notificationChannels,
  type NotificationKind,
  notificationKinds,
  notificationStatuses,
} from "../../lib/contract/values";
import { at, claims, stamps } from "../columns";
import { memberships } from "./businesses";
import { tenantRules } from "./keys";

const kinds = (name: string) =>
  text(name).array().$type<NotificationKind[]>().notNull().default(sql`'{}'`);
const known = sql.raw(`'{${notificationKinds.join(",")}}'::text[]`);

/** Which notifications of a business a member gets, in live mode. The row ends with the membership. */
export const notificationSettings = pgTable(
  "notification_settings",
  {
    businessId: integer("business_id").notNull(),
    userId: uuid("user_id").notNull(),
    mail: kinds("mail"),
    chat: kinds("chat"),
    /** Sealed: the address alone is enough to write to the chat. */
    chatUrl: text("chat_url"),
    /** True after an answer that says the chat is gone. */
    chatOff: boolean("chat_off").notNull().default(false),
    /** Why the last message did not arrive, in plain words. */
    chatProblem: text("chat_problem"),
    /** When the next daily summary is due; null without one. */
    dailyDueAt: at("daily_due_at"),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.userId] }),
    foreignKey({
      columns: [t.businessId, t.userId],
      foreignColumns: [memberships.businessId, memberships.userId],
      name: "notification_settings_member",
    }).onDelete("cascade"),
    index("notification_settings_daily")
      .on(t.businessId, t.dailyDueAt)
      .where(sql`${t.dailyDueAt} is not null`),
    check(
      "notification_settings_kinds_known",
      sql`${t.mail} <@ ${known} and ${t.chat} <@ ${known}`,
    ),
    ...tenantRules(t),
  ],
);

/** Messages to members. They name events or a day and hold nothing of a payer: the text is made when they are sent. */
export const notifications = pgTable(
  "notifications",
  {
    businessId: integer("business_id").notNull(),
    id: text("id").notNull(),
    userId: uuid("user_id").notNull(),
    channel: text("channel", { enum: notificationChannels }).notNull(),
    eventIds: text("event_ids").array().notNull().default(sql`'{}'`),
    /** Of a daily summary: the day that it sums up, in the business's zone. */
    day: date("day"),
    /** When that day ends. The next summary begins there, also where the business has another zone by then. */
    dayEndsAt: at("day_ends_at"),
    status: text("status", { enum: notificationStatuses }).notNull().default("queued"),
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    nextTryAt: at("next_try_at"),
    sentAt: at("sent_at"),
    ...claims(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    foreignKey({
      columns: [t.businessId, t.userId],
      foreignColumns: [notificationSettings.businessId, notificationSettings.userId],
      name: "notifications_settings",
    }).onDelete("cascade"),
    index("notifications_due").on(t.businessId, t.nextTryAt).where(sql`${t.nextTryAt} is not null`),
    index("notifications_newest").on(t.businessId, t.userId, t.channel, t.createdAt),
    index("notifications_age").on(t.createdAt),
    uniqueIndex("notifications_day")
      .on(t.businessId, t.userId, t.channel, t.day)
      .where(sql`${t.day} is not null`),
    ...tenantRules(t),
  ],
);
