import { payerPage, seeOther } from "@/components/payer/answer";
import type { PayerView } from "@/components/payer/document";
import { countVisit, payerRoute } from "@/components/payer/guard";
import { businessOf } from "@/components/payer/link-page";
import type { RouteContext } from "@/lib/http/route-handler";
import { begin } from "@/lib/domain/tokenizations/begin";
import { type ActivationPage, activationPage } from "@/lib/domain/tokenizations/page";
import { readForm } from "@/lib/http/form";

const tokenOf = async ({ params }: RouteContext) => String((await params)?.token);

/** The payer's page of a token, by what the database says at this moment. */
export const GET = payerRoute(async (request, _requestId, context) => {
  const token = await tokenOf(context);
  await countVisit(token);
  const page = await activationPage(token);
  return payerPage(
    request,
    page
      ? viewOf(page, token, new URL(request.url).searchParams.has("watch"))
      : { view: "unknown", what: "activation" },
  );
});

/** Pressing save: goes to the gateway's hosted page, or back to this one, which says why not. */
export const POST = payerRoute(async (request, requestId, context) => {
  await readForm(request);
  const token = await tokenOf(context);
  await countVisit(token);
  const begun = await begin(token, requestId);
  if (begun.kind === "unknown") return payerPage(request, { view: "unknown", what: "activation" });
  return seeOther(
    begun.kind === "redirect" ? begun.url : `/activate/${token}${new URL(request.url).search}`,
  );
});

function viewOf(
  { kind, business, mode, title, description, notice }: ActivationPage,
  token: string,
  watch: boolean,
): PayerView {
  const known = { business: businessOf(business), test: mode === "test" };
  const here = `/activate/${token}${mode === "test" ? "?test=true" : ""}`;
  switch (kind) {
    case "activate":
      return {
        view: "activate",
        ...known,
        action: here,
        title,
        description,
        notice: notice?.kind === "processing" ? null : notice,
      };
    case "processing":
      return {
        view: "processing",
        ...known,
        title,
        reloadUrl: here,
        watchUrl: `${here}${mode === "test" ? "&" : "?"}watch=1`,
        watch,
      };
    case "used":
    case "expired":
    case "revoked":
      return { view: "activate_gone", ...known, reason: kind };
  }
}
