import { defineTask } from "@/lib/jobs/define";
import { searchPayments } from "./steps";

export const paymentSearch = defineTask({
  name: "search for payments since a backup",
  everyMs: 10_000,
  run: searchPayments,
});
