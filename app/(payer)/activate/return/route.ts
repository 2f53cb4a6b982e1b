import { payerPage, seeOther } from "@/components/payer/answer";
import { countVisit, payerRoute } from "@/components/payer/guard";
import { returnFrom } from "@/lib/domain/tokenizations/return";

/** Back from the gateway, which proves nothing: it is asked, and the browser goes on to where the answer leads. */
export const GET = payerRoute(async (request, requestId) => {
  const search = new URL(request.url).searchParams;
  await countVisit(search.get("id"));
  const address = await returnFrom(
    search.get("id") ?? "",
    search.get("attempt") ?? "",
    search.get("proof") ?? "",
    requestId,
  );
  return address === undefined
    ? payerPage(request, { view: "unknown", what: "activation" })
    : seeOther(address);
});
