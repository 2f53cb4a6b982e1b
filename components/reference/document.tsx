import { createHash } from "node:crypto";
import type { ReactElement } from "react";
import type { OpenApi } from "@/lib/http/openapi";
import { ReferencePage } from "./page";
import { referenceScript } from "./script";
import { referenceStyles } from "./styles";

const sourceOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The content security policy of the page: its own style sheet and its own script by their hashes, and nothing else. */
export const referencePolicy =
  `default-src 'none'; style-src ${sourceOf(referenceStyles)}; script-src ${sourceOf(referenceScript)}; img-src 'self' data:; ` +
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
    `<meta name="description" content="Payment links, saved methods and subscriptions: every endpoint of the Kutip API."><link rel="icon" href="/icon.svg"><meta property="og:image" content="${baseUrl}/social.png">` +
    `<style>${referenceStyles}</style></head><body>${body}<script>${referenceScript}</script></body></html>`
  );
}
