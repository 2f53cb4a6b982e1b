import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, expect, vi } from "vitest";
import * as z from "zod";
import type { Endpoint } from "@/lib/contract/endpoint";
import { envelope } from "@/lib/contract/envelope";
import { canBeInvalid, failuresOf } from "@/lib/contract/failures";
import type { RouteHandler } from "@/lib/http/route-handler";

/** Answers of this file's calls that their endpoints do not declare. */
const undeclared: string[] = [];

async function differenceOf(endpoint: Endpoint, answer: Response): Promise<string | undefined> {
  const { status } = answer;
  if (status === 200 && endpoint.media !== undefined) return undefined;
  const body = (await answer.clone().json()) as { code?: string; message?: string };
  if (status === 200) {
    const read = envelope(endpoint.response).safeParse(body);
    if (!read.success) return z.prettifyError(read.error);
    return isDeepStrictEqual(read.data, body) ? undefined : "The answer has fields of its own.";
  }
  const declared =
    status === 422
      ? canBeInvalid(endpoint)
      : failuresOf(endpoint).some((one) => one.status === status && one.code === body.code);
  return declared ? undefined : `${status} ${body.code ?? ""} ${body.message ?? ""}`;
}

const watched =
  (endpoint: Endpoint, handler: RouteHandler): RouteHandler =>
  async (request, context) => {
    const answer = await handler(request, context);
    const difference = await differenceOf(endpoint, answer);
    if (difference !== undefined) undeclared.push(`${endpoint.id}: ${difference}`);
    return answer;
  };

type Define = (endpoint: Endpoint, ...rest: never[]) => RouteHandler;

/** A module in which each of these functions that define a route has its answers compared. */
function watching<Module extends object>(module: Module, names: (keyof Module)[]): Module {
  const defines = names.map((name) => {
    const define = module[name] as Define;
    const watchedDefine: Define = (endpoint, ...rest) =>
      watched(endpoint, define(endpoint, ...rest));
    return [name, watchedDefine] as const;
  });
  return { ...module, ...Object.fromEntries(defines) };
}

vi.mock(import("@/lib/http/define-route"), async (original) =>
  watching(await original(), ["defineRoute"]),
);
vi.mock(import("@/lib/http/define-account-route"), async (original) =>
  watching(await original(), ["defineAccountRoute", "definePersonRoute"]),
);
vi.mock(import("@/lib/http/define-file-route"), async (original) =>
  watching(await original(), ["defineFileRoute"]),
);

const assertDeclared = () => expect(undeclared.splice(0)).toEqual([]);
afterEach(assertDeclared);
afterAll(assertDeclared);
