import { savesMethods } from "@/lib/domain/gateway-connections/connected";
import { type ActivationPage, activationPage } from "@/lib/domain/tokenizations/page";
import { returnFrom } from "@/lib/flows/activation/return";
import { begin } from "@/lib/flows/activation/steps";
import { payerPage, seeOther, type Visit } from "./answer";
import { readForm } from "./form";
import { countVisit } from "./guard";
import { businessOf } from "./link-view";
import type { PayerView } from "./view";

const tokenOf = async ({ context }: Visit) => String((await context.params)?.token);

/** The payer's page of a token, in the state that the database has now. */
export async function showActivation(visit: Visit): Promise<Response> {
  const token = await tokenOf(visit);
  await countVisit(token);
  const page = await activationPage(token);
  if (!page) return payerPage(visit, { view: "unknown", what: "activation" });
  const watch = new URL(visit.request.url).searchParams.has("watch");
  const view = viewOf(page, token, watch);
  const { business, mode } = page;
  return payerPage(
    visit,
    view.view === "activate" && !(await savesMethods(business.id, mode))
      ? { ...view, notice: { kind: "not_connected" } }
      : view,
  );
}

/** The payer presses save: the browser goes to the gateway's hosted page, or back to this one, which says why not. */
export async function pressSave(visit: Visit): Promise<Response> {
  await readForm(visit.request);
  const token = await tokenOf(visit);
  await countVisit(token);
  const begun = await begin(token, visit.requestId);
  if (begun.kind === "unknown") return payerPage(visit, { view: "unknown", what: "activation" });
  return seeOther(
    begun.kind === "redirect"
      ? begun.url
      : `/activate/${token}${new URL(visit.request.url).search}`,
  );
}

/** The browser comes back from the gateway. That proves nothing: the gateway is asked, and its answer says where to go next. */
export async function comeBack(visit: Visit): Promise<Response> {
  const search = new URL(visit.request.url).searchParams;
  await countVisit(search.get("id"));
  const address = await returnFrom(
    search.get("id") ?? "",
    search.get("attempt") ?? "",
    search.get("proof") ?? "",
    visit.requestId,
  );
  return address === undefined
    ? payerPage(visit, { view: "unknown", what: "activation" })
    : seeOther(address);
}

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
