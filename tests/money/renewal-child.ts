import { dieAt } from "./dying";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { runOnce } from "../run-once";

// A worker of one business: does what is due once and tells its words, or goes on until it is killed.
const [businessId = "0", at = "0", when = "before"] = process.argv.slice(2);
const spoken = dieAt(Number(at), when);

if (at === "on") {
  for (;;) {
    await runOnce(outcomes, Number(businessId));
    await runOnce(renewal, Number(businessId));
  }
}
await runOnce(renewal, Number(businessId));
process.stdout.write(`done ${spoken()}`);
process.exit(0);
