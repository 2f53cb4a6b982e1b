import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { takesGzip } from "@/lib/http/accept-encoding";
import { plainHeaders } from "@/lib/http/respond";
import type { RouteContext } from "@/lib/http/route-handler";
import type { PayerDocument, PayerView, Render } from "./view";

const compress = promisify(gzip);

/** A request to a payer's page, with what draws the page. */
export type Visit = {
  request: Request;
  requestId: string;
  context: RouteContext;
  render: Render;
};

type Made = {
  plain: Uint8Array<ArrayBuffer>;
  packed: Uint8Array<ArrayBuffer>;
  status: PayerDocument["status"];
  policy: string;
  refreshSeconds: number | undefined;
};

const MAX_KEPT_BYTES = 8 * 2 ** 20;
/** Those that were not opened for longest come first. */
const kept = new Map<string, Made>();
let keptBytes = 0;

const bytesOf = (key: string, { plain, packed }: Made) =>
  2 * key.length + plain.byteLength + packed.byteLength;

function keep(key: string, made: Made): void {
  keptBytes += bytesOf(key, made);
  kept.set(key, made);
  for (const [oldest, page] of kept) {
    if (keptBytes <= MAX_KEPT_BYTES) return;
    kept.delete(oldest);
    keptBytes -= bytesOf(oldest, page);
  }
}

/** What the kept pages take, in bytes. */
export const bytesOfKeptPages = (): number => keptBytes;

async function make(render: Render, view: PayerView): Promise<Made> {
  const { html, styleHash, status, refreshSeconds } = await render(view);
  const plain = new TextEncoder().encode(html);
  // No form-action: it would also block the 303 to the gateway that follows the post.
  const policy = `default-src 'none'; script-src 'none'; style-src '${styleHash}'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'`;
  const packed = new Uint8Array(await compress(plain, { level: 6 }));
  return { plain, packed, status, policy, refreshSeconds };
}

function send(request: Request, made: Made, status?: number): Response {
  const packed = takesGzip(request.headers.get("accept-encoding"));
  const code = status ?? made.status;
  return new Response(packed ? made.packed : made.plain, {
    status: code,
    headers: {
      ...(code === 503 ? { "retry-after": "2" } : {}),
      ...(made.refreshSeconds === undefined ? {} : { refresh: String(made.refreshSeconds) }),
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": made.policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      ...(packed ? { "content-encoding": "gzip" } : {}),
    },
  });
}

/** A payer page as a response; `status` where it differs from the view's own. */
export async function payerPage(
  { request, render }: Pick<Visit, "request" | "render">,
  view: PayerView,
  status?: number,
): Promise<Response> {
  return send(request, await make(render, view), status);
}

/** The same for a page that is opened often: the markup of a view is made once and kept. The caller has read the records. */
export async function keptPayerPage(
  { request, render }: Visit,
  view: PayerView,
): Promise<Response> {
  // All that the page shows is in the key, so that no change of a record can be missed.
  const key = JSON.stringify(view);
  const found = kept.get(key);
  if (found) {
    kept.delete(key);
    kept.set(key, found);
    return send(request, found);
  }
  const made = await make(render, view);
  if (!kept.has(key)) keep(key, made);
  return send(request, made);
}

/** 303, without a Referer: the page it comes from may carry a secret in its address. */
export function seeOther(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location, ...plainHeaders, "referrer-policy": "no-referrer" },
  });
}
