import type { RouteContext, RouteHandler } from "./route-handler";

type Module = Record<string, unknown>;
export type RouteEntry = { pattern: string; module: Module };
/** `api`: an address of the API; its requests carry an id and are logged. `route`: its pattern as metrics name it. */
export type Match = {
  module: Module;
  params: Record<string, unknown>;
  api: boolean;
  route: string;
};

type Dynamic = {
  expression: RegExp;
  names: string[];
  rest: boolean;
  module: Module;
  api: boolean;
  route: string;
  rank: string;
};

/** The first two segments: `/api/payment-links`. */
const family = (path: string) => path.split("/", 3).join("/");

/**
 * Finds the route file of a path, as Next.js would: fixed segments before `[param]`, before `[...rest]`.
 * Patterns are like `/api/payment-links/[payment_link_id]`.
 */
export function matcher(entries: readonly RouteEntry[]): (path: string) => Match | undefined {
  const exact = new Map<string, Match>();
  // By family, so that a path is not tried against every route. The others have a parameter in their first two segments.
  const families = new Map<string, Dynamic[]>();
  const others: Dynamic[] = [];
  for (const { pattern, module } of entries) {
    const api = /^\/api(\/|$)/.test(pattern);
    if (!pattern.includes("[")) {
      exact.set(pattern, { module, params: {}, api, route: pattern });
      continue;
    }
    const names: string[] = [];
    const rest = pattern.includes("[...");
    const source = pattern
      .replace(/[.*+?^${}()|\\]/g, "\\$&")
      .replace(/\[(\\\.\\\.\\\.)?([^\]]+)\]/g, (_, dots, name) => {
        names.push(name);
        return dots ? "(.+)" : "([^/]+)";
      });
    const fixed = family(pattern);
    const kin = fixed.includes("[") ? others : (families.get(fixed) ?? []);
    if (kin !== others) families.set(fixed, kin);
    kin.push({
      expression: new RegExp(`^${source}$`),
      names,
      rest,
      module,
      api,
      route: pattern.replace(/\[(?:\.\.\.)?([^\]]+)\]/g, "{$1}"),
      rank: pattern.replace(/\[\.\.\.[^\]]+\]/g, "\uffff").replace(/\[[^\]]+\]/g, "\ufffe"),
    });
  }
  const byRank = (a: Dynamic, b: Dynamic) => (a.rank < b.rank ? -1 : 1);
  others.sort(byRank);
  // Fixed segments come before parameters, and so does a family before the others.
  for (const [name, kin] of families) families.set(name, [...kin.sort(byRank), ...others]);
  return (path) => {
    const fixed = exact.get(path);
    if (fixed) return { ...fixed, params: {} };
    for (const { expression, names, rest, module, api, route } of families.get(family(path)) ??
      others) {
      const found = expression.exec(path);
      if (!found) continue;
      const params: Record<string, unknown> = {};
      for (const [index, name] of names.entries()) {
        const text = decoded(found[index + 1] ?? "");
        params[name] = rest && index === names.length - 1 ? text.split("/") : text;
      }
      return { module, params, api, route };
    }
    return undefined;
  };
}

function decoded(segment: string): string {
  try {
    return segment.includes("%") ? decodeURIComponent(segment) : segment;
  } catch {
    return segment;
  }
}

/** The methods a route file answers, for `Allow`. */
export function allowed(module: Module): string[] {
  const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"].filter(
    (method) => typeof module[method] === "function",
  );
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

/** The handler for a method; HEAD is GET without its body. */
export function handlerOf(module: Module, method: string): RouteHandler | undefined {
  const handler = module[method === "HEAD" ? "GET" : method];
  return typeof handler === "function"
    ? (handler as (request: Request, context: RouteContext) => Promise<Response>)
    : undefined;
}
