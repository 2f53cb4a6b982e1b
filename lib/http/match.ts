import type { RouteContext, RouteHandler } from "./route-handler";

type Module = Record<string, unknown>;
export type RouteEntry = { pattern: string; module: Module };
/** `api`: an address of the API; its requests carry an id and are logged. */
export type Match = { module: Module; params: Record<string, unknown>; api: boolean };

/**
 * Finds the route file of a path, as Next.js would: fixed segments before `[param]`, before `[...rest]`.
 * Patterns are like `/api/payment-links/[payment_link_id]`.
 */
export function matcher(entries: readonly RouteEntry[]): (path: string) => Match | undefined {
  const exact = new Map<string, Match>();
  const dynamic: Array<{
    expression: RegExp;
    names: string[];
    rest: boolean;
    module: Module;
    api: boolean;
    rank: string;
  }> = [];
  for (const { pattern, module } of entries) {
    const api = /^\/api(\/|$)/.test(pattern);
    if (!pattern.includes("[")) {
      exact.set(pattern, { module, params: {}, api });
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
    dynamic.push({
      expression: new RegExp(`^${source}$`),
      names,
      rest,
      module,
      api,
      rank: pattern.replace(/\[\.\.\.[^\]]+\]/g, "\uffff").replace(/\[[^\]]+\]/g, "\ufffe"),
    });
  }
  dynamic.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return (path) => {
    const fixed = exact.get(path);
    if (fixed) return { ...fixed, params: {} };
    for (const { expression, names, rest, module, api } of dynamic) {
      const found = expression.exec(path);
      if (!found) continue;
      const params: Record<string, unknown> = {};
      for (const [index, name] of names.entries()) {
        const text = decoded(found[index + 1] ?? "");
        params[name] = rest && index === names.length - 1 ? text.split("/") : text;
      }
      return { module, params, api };
    }
    return undefined;
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
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
