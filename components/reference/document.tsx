import { createHash } from "node:crypto";
import type { ReactElement } from "react";
import type { OpenApi } from "@/lib/http/openapi";
import { ReferencePage } from "./page";
import { referenceScript } from "./script";
import { referenceStyles } from "./styles";

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e50'/%3E" +
  "%3Cpath d='M5 3v10M11.5 3.5L6 8l5.5 4.5' stroke='%23fff' stroke-width='2' fill='none'/%3E%3C/svg%3E";

const sourceOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The content security policy of the page: its own style sheet and its own script by their hashes, and nothing else. */
export const referencePolicy =
  `default-src 'none'; style-src ${sourceOf(referenceStyles)}; script-src ${sourceOf(referenceScript)}; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference page as one HTML document. `baseUrl` is the install's origin. */
export async function renderReference(document: OpenApi, baseUrl: string): Promise<string> {
  // A static import of react-dom/server anywhere below app/ fails next build.
  const { renderToStaticMarkup } = (await import("react-dom/server")) as {
    renderToStaticMarkup: (element: ReactElement) => string;
  };
  const body = renderToStaticMarkup(<ReferencePage document={document} baseUrl={baseUrl} />);
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Kutip API reference</title>` +
    `<meta name="description" content="Payment links, saved methods and subscriptions: every endpoint of the Kutip API."><link rel="icon" href="${icon}">` +
    `<style>${referenceStyles}</style></head><body>${body}<script>${referenceScript}</script></body></html>`
  );
}
