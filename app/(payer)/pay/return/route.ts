import { seeOther } from "@/components/payer/answer";
import { countVisit, payerRoute } from "@/components/payer/guard";
import { systemCtx } from "@/lib/domain/context";
import { returnFrom } from "@/lib/domain/payments/return";
import { unscopedFindPayment } from "@/lib/domain/payments/rows";
import { notFound } from "@/lib/kernel/problem";

/** Back from the gateway, which proves nothing: it is asked, and the browser goes on to where the answer leads. */
export const GET = payerRoute(async (request, requestId) => {
  const id = new URL(request.url).searchParams.get("payment_id") ?? "";
  await countVisit(id);
  const payment = /^[0-9a-f]{24}$/.test(id) ? await unscopedFindPayment(id) : undefined;
  if (!payment) throw notFound();
  return seeOther(await returnFrom(systemCtx(payment, { kind: "payer" }, requestId), payment));
});
