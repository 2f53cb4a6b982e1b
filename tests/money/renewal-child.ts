import { followEvents } from "@/lib/domain/subscriptions/engine/follow";
import { chargeDue } from "@/lib/domain/subscriptions/engine/run";
import { dieAt } from "./dying";

// A worker of one business: does what is due once and tells its words, or goes on until it is killed.
const [businessId = "0", at = "0", when = "before"] = process.argv.slice(2);
const spoken = dieAt(Number(at), when);

if (at === "on") {
  for (;;) {
    await followEvents(200, "renewal-child");
    await chargeDue("renewal-child", Number(businessId));
  }
}
await chargeDue("renewal-child", Number(businessId));
process.stdout.write(`done ${spoken()}`);
process.exit(0);
