import { createHash } from "node:crypto";
import type { ReactElement } from "react";
import type { PayerDocument, PayerView } from "@/lib/payer/view";
import {
  ActivatedView,
  ActivateGoneView,
  ActivateView,
  activatedTitle,
  activateGoneTitle,
  activateTitle,
} from "./activate-views";
import { PayView, payTitle } from "./pay-view";
import { PaidView, paidTitle, ThankYouView, thankYouTitle } from "./receipt-views";
import { env } from "@/lib/env";
import { simulatorStyles } from "./simulator-styles";
import {
  SimulatorFinishedView,
  SimulatorUnknownView,
  SimulatorView,
  simulatorFinishedTitle,
  simulatorTitle,
  simulatorUnknownTitle,
} from "./simulator-view";
import {
  CancelledView,
  cancelledTitle,
  DeletedView,
  deletedTitle,
  ExpiredView,
  expiredTitle,
  FormRefusedView,
  formRefusedTitle,
  ProcessingView,
  processingTitle,
  UnavailableView,
  UnknownView,
  unavailableTitle,
  unknownTitle,
} from "./state-views";
import { payerStyles } from "./styles";
import { qrSvg } from "./qr";

type Page = {
  title: string;
  body: ReactElement;
  status: PayerDocument["status"];
  accent?: string | null;
  simulator?: true;
  refreshSeconds?: number;
};

function pageOf(view: PayerView): Page {
  switch (view.view) {
    case "pay":
      return {
        title: payTitle(view),
        body: <PayView {...view} qr={qrSvg(view.address)} />,
        accent: view.business.accent,
        status: 200,
      };
    case "paid":
      return {
        title: paidTitle(view),
        body: <PaidView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
    case "thank_you":
      return {
        title: thankYouTitle(view),
        body: <ThankYouView {...view} />,
        accent: view.business.accent,
        status: 200,
        ...(view.outcome === "pending" ? { refreshSeconds: 10 } : {}),
      };
    case "processing": {
      const page: Page = {
        title: processingTitle(view),
        body: <ProcessingView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
      return view.watch ? { ...page, refreshSeconds: 5 } : page;
    }
    case "expired":
      return {
        title: expiredTitle(view),
        body: <ExpiredView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
    case "cancelled":
      return {
        title: cancelledTitle(view),
        body: <CancelledView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
    case "deleted":
      return {
        title: deletedTitle(view),
        body: <DeletedView {...view} />,
        accent: view.business.accent,
        status: 410,
      };
    case "unknown":
      return { title: unknownTitle(), body: <UnknownView {...view} />, status: 404 };
    case "unavailable":
      return { title: unavailableTitle(), body: <UnavailableView {...view} />, status: 503 };
    case "form_refused":
      return {
        title: formRefusedTitle(),
        body: <FormRefusedView {...view} />,
        status: view.reason === "cross_site" ? 403 : 415,
      };
    case "activate":
      return {
        title: activateTitle(view),
        body: <ActivateView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
    case "activated":
      return {
        title: activatedTitle(view),
        body: <ActivatedView {...view} />,
        accent: view.business.accent,
        status: 200,
      };
    case "activate_gone":
      return {
        title: activateGoneTitle(view),
        body: <ActivateGoneView {...view} />,
        accent: view.business.accent,
        status: view.reason === "used" ? 200 : 410,
      };
    case "simulator":
      return {
        title: simulatorTitle(view),
        body: <SimulatorView {...view} />,
        simulator: true,
        status: 200,
      };
    case "simulator_finished":
      return {
        title: simulatorFinishedTitle(),
        body: <SimulatorFinishedView {...view} />,
        simulator: true,
        status: 200,
      };
    case "simulator_unknown":
      return {
        title: simulatorUnknownTitle(),
        body: <SimulatorUnknownView />,
        simulator: true,
        status: 404,
      };
  }
}

type Style = { css: string; hash: string };
const MAX_STYLES = 1_000;
const styles = new Map<string, Style>();

function styleOf({ accent, simulator }: Page): Style {
  const key = simulator ? "simulator" : (accent ?? "");
  let style = styles.get(key);
  if (style === undefined) {
    const css = simulator ? simulatorStyles : payerStyles(accent);
    style = { css, hash: `sha256-${createHash("sha256").update(css).digest("base64")}` };
    if (styles.size >= MAX_STYLES) styles.clear();
    styles.set(key, style);
  }
  return style;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeText = (text: string) => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

let markup: ((element: ReactElement) => string) | undefined;

/** Renders one payer page as a whole HTML document without any script. */
export async function renderDocument(view: PayerView): Promise<PayerDocument> {
  // A static import of react-dom/server anywhere below app/ fails next build.
  markup ??= (await import("react-dom/server")).renderToStaticMarkup;
  const page = pageOf(view);
  const { css, hash } = styleOf(page);
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escapeText(page.title)}</title><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">` +
    `<link rel="icon" href="/icon.svg"><meta property="og:image" content="${env.BASE_URL}/social.png"><style>${css}</style></head><body>${markup(page.body)}</body></html>`;
  return { html, styleHash: hash, status: page.status, refreshSeconds: page.refreshSeconds };
}
