import { type HostedPage, pressButton, seePage } from "@/lib/gateways/simulator/page";
import { displayAmount } from "@/lib/kernel/money";
import type { Visit } from "./answer";
import { countVisit } from "./guard";
import type { PayerView, Render } from "./view";

// The simulator plays another company's server: it shares no page, form or policy with Kutip's own.

const sessionOf = async ({ context }: Visit) => String((await context.params)?.session);

const FORM_LIMIT_BYTES = 4_096;

/** The simulator's hosted page: buttons named by their outcome, or how the session ended. */
export async function showSession(visit: Visit): Promise<Response> {
  const session = await sessionOf(visit);
  await countVisit(session);
  return show(visit.render, session, await seePage(session));
}

/** A press. However often and from however many tabs, the first one counts; the browser goes back with nothing that proves anything. */
export async function pressOutcome(visit: Visit): Promise<Response> {
  const { render, request } = visit;
  const session = await sessionOf(visit);
  await countVisit(session);
  if (request.headers.get("sec-fetch-site") === "cross-site")
    return show(render, session, await seePage(session), 403);
  const form = await readForm(request);
  if (typeof form === "number") return show(render, session, await seePage(session), form);
  const pressed = await pressButton(
    session,
    form.get("outcome") ?? "",
    form.get("declines") ?? "1",
  );
  if (pressed?.state === "open") return show(render, session, pressed, 400);
  if (!pressed?.backUrl || pressed.state === "expired") return show(render, session, pressed);
  return new Response(null, {
    status: 303,
    headers: {
      location: pressed.backUrl,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

/** The form's fields, or the status that says why it is not read. */
async function readForm(request: Request): Promise<URLSearchParams | 413 | 415> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded"))
    return 415;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > FORM_LIMIT_BYTES) return 413;
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
  render: Render,
  session: string,
  page: HostedPage | undefined,
  status?: number,
): Promise<Response> {
  const made = await render(viewOf(session, page));
  // No form-action: after the press the browser may be sent on to any merchant, and the directive would block that too.
  const nothing = "default-src 'none'; script-src 'none'; base-uri 'none'; frame-ancestors 'none'";
  const policy = `${nothing}; img-src 'self' data:; style-src '${made.styleHash}'`;
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
