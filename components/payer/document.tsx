import { createHash } from "node:crypto";
import type { ReactElement } from "react";
import { type PayProps, PayView, payTitle } from "./pay-view";
import { payerStyles } from "./styles";

export type PayerView = { view: "pay" } & PayProps;

/** A finished page. `styleHash` is the CSP source without quotes, `sha256-…`; `status` the HTTP status it belongs under. */
export type PayerDocument = { html: string; styleHash: string; status: number };

type Page = { title: string; body: ReactElement; accent: string | null | undefined; status: number };

function pageOf(view: PayerView): Page {
  return { title: payTitle(view), body: <PayView {...view} />, accent: view.business.accent, status: 200 };
}

type Style = { css: string; hash: string };
const MAX_STYLES = 1_000;
const styles = new Map<string, Style>();

function styleOf(accent: string | null | undefined): Style {
  const key = accent ?? "";
  let style = styles.get(key);
  if (style === undefined) {
    const css = payerStyles(accent);
    style = { css, hash: `sha256-${createHash("sha256").update(css).digest("base64")}` };
    if (styles.size >= MAX_STYLES) styles.clear();
    styles.set(key, style);
  }
  return style;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeText = (text: string) => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e50'/%3E" +
  "%3Cpath d='M5 3v10M11.5 3.500 6 8l5.500 4.500' stroke='%23fff' stroke-width='2' fill='none'/%3E%3C/svg%3E";

let markup: ((element: ReactElement) => string) | undefined;

/** Renders one payer page as a whole HTML document without any script. */
export async function renderDocument(view: PayerView): Promise<PayerDocument> {
  // A static import of react-dom/server anywhere below app/ fails next build.
  markup ??= (await import("react-dom/server")).renderToStaticMarkup;
  const { title, body, accent, status } = pageOf(view);
  const { css, hash } = styleOf(accent);
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escapeText(title)}</title><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">` +
    `<link rel="icon" href="${icon}"><style>${css}</style></head><body>${markup(body)}</body></html>`;
  return { html, styleHash: hash, status };
}
