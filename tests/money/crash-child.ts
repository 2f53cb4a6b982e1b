import pg from "pg";
import { systemCtx } from "@/lib/domain/context";
import { charge } from "@/lib/domain/payments/charge";
import { reconcile } from "@/lib/domain/payments/reconcile";
import { findPayment } from "@/lib/domain/payments/rows";
import { pressButton } from "@/lib/gateways/simulator/page";
import { claimKey } from "@/lib/domain/idempotency/claim";
import { press, referenceOf } from "./setting-verbs";

// A process that does one money verb and is killed, with no chance to clean up, right before or after its n-th word with the database.
const [verb = "", businessId = "0", target = "", at = "0", when = "before"] = process.argv.slice(2);

let words = 0;
const query = pg.Client.prototype.query as (...values: unknown[]) => unknown;
const die = () => process.kill(process.pid, "SIGKILL");
pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
  words++;
  if (words !== Number(at)) return query.apply(this, values);
  if (when === "before") die();
  // The pool passes a callback, a transaction awaits a promise: the answer has come either way.
  if (typeof values.at(-1) === "function") return query.apply(this, [...values.slice(0, -1), die]);
  return (query.apply(this, values) as Promise<unknown>).then(die, die);
} as typeof pg.Client.prototype.query;

const ctx = systemCtx({ businessId: Number(businessId), mode: "test" }, { kind: "operator" }, "crash-child");
if (verb === "pay") {
  const session = await press(ctx, target);
  if (session) {
    await pressButton(session, "approve", "1");
    const payment = await findPayment(ctx, await referenceOf(session));
    if (payment) await reconcile(ctx, payment);
  }
} else {
  const claim = await claimKey(ctx, "the-key", "POST", "/charge", "{}");
  if ("data" in claim) process.exit(0);
  await charge({ ...ctx, claim }, target, { amount: 2_000, currency: "MYR", title: "Top-up" });
}
// Told only by a run that reached its end: there were no more words to die at.
process.stdout.write(`done ${words}`);
process.exit(0);
