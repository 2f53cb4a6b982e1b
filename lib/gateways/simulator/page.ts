import { databaseNow } from "@/db/now";
import type { Money } from "../gateway";
import { press } from "./bank";
import * as sessionRows from "./session-rows";
import { isOutcome, maxLaterDeclines } from "./rules";

/** What the hosted page shows. `backUrl`: where the payer goes from here; `result`: one sentence once it is finished. */
export type HostedPage = {
  state: sessionRows.Session["state"];
  title: string;
  money: Money | undefined;
  backUrl: string | null;
  result: string;
};

const pageSecret = /^[0-9a-f]{64}$/;

const results: Record<sessionRows.Session["state"], { pay: string; save: string }> = {
  open: { pay: "", save: "" },
  succeeded: { pay: "The payment was approved.", save: "" },
  saved: { pay: "", save: "The method was saved." },
  failed: {
    pay: "The payment was declined. Nothing was taken.",
    save: "It was declined. No method was saved.",
  },
  pending: { pay: "The payment is pending and will be approved in a moment.", save: "" },
  cancelled: {
    pay: "The payment was cancelled. Nothing was taken.",
    save: "It was cancelled. No method was saved.",
  },
  expired: {
    pay: "The time for this page is over. Nothing was taken.",
    save: "The time for this page is over. No method was saved.",
  },
};

async function present(session: sessionRows.Session): Promise<HostedPage> {
  const over =
    session.state === "open" && Date.parse(session.expiresAt ?? "") <= (await databaseNow());
  const state = over ? "expired" : session.state;
  const { amount, currency, title } = session;
  return {
    state,
    title,
    money: amount === null || currency === null ? undefined : { amount, currency },
    backUrl: state === "cancelled" || state === "expired" ? session.cancelUrl : session.returnUrl,
    result: results[state][session.kind === "save" ? "save" : "pay"],
  };
}

/** The page at this address; undefined when it does not exist. */
export async function seePage(page: string): Promise<HostedPage | undefined> {
  const session = pageSecret.test(page) ? await sessionRows.getSessionByPage(page) : undefined;
  return session && present(session);
}

/** Presses a button by its name, with the number of later declines as the form has it. A button the page does not have presses nothing. */
export async function pressButton(
  page: string,
  outcome: string,
  declines: string,
): Promise<HostedPage | undefined> {
  const session = pageSecret.test(page) ? await sessionRows.getSessionByPage(page) : undefined;
  if (!session || session.kind === "charge") return undefined;
  if (session.state !== "open") return present(session);
  const laterDeclines = /^\d{1,2}$/.test(declines) ? Number(declines) : 0;
  if (!isOutcome(session.kind, outcome)) return present(session);
  if (outcome === "approve_declines" && (laterDeclines < 1 || laterDeclines > maxLaterDeclines))
    return present(session);
  const pressed = await press(page, outcome, laterDeclines);
  return pressed && present(pressed);
}
