import { type PayerView, renderDocument } from "@/components/payer/document";
import { countVisit, payerRoute } from "@/components/payer/guard";
import type { RouteContext } from "@/lib/http/route-handler";
import { type HostedPage, pressButton, seePage } from "@/lib/gateways/simulator/page";
import { displayAmount } from "@/lib/kernel/money";

const sessionOf = async ({ params }: RouteContext) => String((await params)?.session);

const maxFormBytes = 4_096;

/** The simulator's hosted page: buttons named by their outcome, or how the session ended. */
export const GET = payerRoute(async (_request, _requestId, context) => {
  const session = await sessionOf(context);
  await countVisit(session);
  return show(session, await seePage(session));
});

/** A press. However often and from however many tabs, the first one counts; the browser goes back with nothing that proves anything. */
export const POST = payerRoute(async (request, _requestId, context) => {
  const session = await sessionOf(context);
  await countVisit(session);
  if (request.headers.get("sec-fetch-site") === "cross-site")
    return show(session, await seePage(session), 403);
  const form = await readForm(request);
  if (typeof form === "number") return show(session, await seePage(session), form);
  const pressed = await pressButton(
    session,
    form.get("outcome") ?? "",
    form.get("declines") ?? "1",
  );
  if (pressed?.state === "open") return show(session, pressed, 400);
  if (!pressed?.backUrl || pressed.state === "expired") return show(session, pressed);
  return new Response(null, {
    status: 303,
    headers: {
      location: pressed.backUrl,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
});

/** The form's fields, or the status that says why it is not read. */
async function readForm(request: Request): Promise<URLSearchParams | 413 | 415> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded"))
    return 415;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxFormBytes) return 413;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function viewOf(session: string, page: HostedPage | undefined): PayerView {
  if (!page) return { view: "simulator_unknown" };
  if (page.state !== "open")
    return { view: "simulator_finished", result: page.result, backUrl: page.backUrl };
  const action = `/simulator/${session}`;
  if (!page.money) return { view: "simulator", purpose: "save", action, title: page.title };
  return {
    view: "simulator",
    purpose: "pay",
    action,
    title: page.title,
    amount: displayAmount(page.money.amount, page.money.currency),
  };
}

async function show(
  session: string,
  page: HostedPage | undefined,
  status?: number,
): Promise<Response> {
  const made = await renderDocument(viewOf(session, page));
  // No form-action: after the press the browser may be sent on to any merchant, and the directive would block that too.
  const nothing = "default-src 'none'; script-src 'none'; base-uri 'none'; frame-ancestors 'none'";
  const policy = `${nothing}; img-src data:; style-src '${made.styleHash}'`;
  return new Response(made.html, {
    status: status ?? made.status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
