import { createBusiness } from "@/lib/domain/businesses/create";
import { createKey } from "@/lib/domain/api-keys/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import type { RouteHandler } from "@/lib/http/route-handler";
import { handlerOf, matcher } from "@/lib/http/match";
import { routeFiles } from "@/scripts/routes-plugin.mjs";

export type Mode = "test" | "live";

/** A business of a test's own, with a key and a context for each mode. */
export type Tenant = { businessId: number; keys: Record<Mode, string>; ctx: Record<Mode, Ctx> };

export async function newTenant(name = "Tide & Co"): Promise<Tenant> {
  const business = await createBusiness({ name });
  const key = async (mode: Mode) =>
    (await createKey({ businessId: business.id, mode }, "contract test")).secret;
  const ctx = (mode: Mode) =>
    systemCtx({ businessId: business.id, mode }, { kind: "operator" }, "contract-test");
  return {
    businessId: business.id,
    keys: { test: await key("test"), live: await key("live") },
    ctx: { test: ctx("test"), live: ctx("live") },
  };
}

/** Every route file under app/api with what it exports, as both servers see it. */
export const routes = await Promise.all(
  routeFiles(process.cwd())
    .filter(({ pattern }) => pattern.startsWith("/api/"))
    .map(async ({ file, pattern }) => ({
      pattern,
      module: (await import(`@/${file}`)) as Record<string, unknown>,
    })),
);
const match = matcher(routes);

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
};
type Options = {
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: BodyInit;
  address?: string;
};

let addresses = 0;

/** Calls the route's own function as the servers do. `body` is sent as JSON, `raw` as it is; each call comes from an address of its own. */
export async function api(
  method: string,
  path: string,
  { key, headers = {}, body, raw, address }: Options = {},
): Promise<Answer> {
  const url = new URL(`http://localhost:3000/api${path}`);
  const found = match(url.pathname);
  const handler = found && (handlerOf(found.module, method) as RouteHandler | undefined);
  if (!found || !handler) throw new Error(`no route for ${method} ${path}`);
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const request = new Request(url, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
  } as RequestInit);
  const response = await handler(request, {
    params: found.params,
    clientAddress: address ?? `192.0.2.${++addresses}`,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}
