import { dueReminders } from "@/lib/domain/payment-links/reminder-rows";
import { defineJob } from "@/lib/jobs/define";
import { remindPayers } from "./steps";

export const linkReminders = defineJob({
  name: "remind payers",
  due: dueReminders,
  batch: 100,
  perTenant: 1,
  work: (rows, { requestId }) => remindPayers(rows, requestId),
});
