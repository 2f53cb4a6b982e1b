import { sql } from "drizzle-orm";
import { businesses } from "@/db/schema/businesses";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Reminder } from "@/lib/contract/reminders";

/**
 * SQL: the default schedule with which a link was created, while the settings' default is on and was not switched off meanwhile; `[]` without one.
 * Other names inside: queries of one table write its columns without its name.
 */
export const defaultInEffect = sql<Reminder[]>`coalesce((
  select ${links.defaultReminders} from (select id as of_business, reminders as in_settings, reminders_since as on_since from ${businesses}) as business
  where ${links.defaultReminders} is not null and business.of_business = ${links.businessId} and business.in_settings <> '[]'
    and (${links.testClockId} is not null or ${links.createdAt} >= business.on_since)
), '[]')`;
