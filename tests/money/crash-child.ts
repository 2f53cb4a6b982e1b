import { systemCtx } from "@/lib/domain/context";
import { charge } from "@/lib/flows/charge/steps";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { create as refund } from "@/lib/flows/refund/steps";
import { findPayment } from "@/lib/domain/payments/rows";
import { pressButton } from "@/lib/gateways/simulator/page";
import { claimKey } from "@/lib/domain/idempotency/claim";
import { dieAt } from "./dying";
import { press, referenceOf } from "./setting-verbs";

// A process that does one money verb and is killed, with no chance to clean up, right before or after its n-th word with the database.
const [verb = "", businessId = "0", target = "", at = "0", when = "before"] = process.argv.slice(2);

const spoken = dieAt(Number(at), when);

const ctx = systemCtx(
  { businessId: Number(businessId), mode: "test" },
  { kind: "operator" },
  "crash-child",
);
if (verb === "pay") {
  const session = await press(ctx, target);
  if (session) {
    await pressButton(session, "approve", "1");
    const payment = await findPayment(ctx, await referenceOf(session));
    if (payment) await reconcile(ctx, payment);
  }
} else {
  const claim = await claimKey(ctx, "the-key", "POST", `/${verb}`, "{}");
  if ("data" in claim) process.exit(0);
  if (verb === "refund") await refund({ ...ctx, claim }, target, { amount: 400 });
  else await charge({ ...ctx, claim }, target, { amount: 2_000, currency: "MYR", title: "Top-up" });
}
// Printed only by a run that reached its end: no steps were left to die at.
process.stdout.write(`done ${spoken()}`);
process.exit(0);
