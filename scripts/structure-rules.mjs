import path from "node:path";
import { cycles, reached, readModules } from "./structure-graph.mjs";

const FLOORS = [
  [4, /^(app|components)\/|^(server|worker|kutip|compute|proxy|instrumentation)\.ts$/],
  [3, /^lib\/(http|client|worker|supervisor|operator)\//],
  [2, /^lib\/(domain|gateways|mail)\//],
  [1, /^db\/|^lib\/(jobs|compute)\//],
  [0, /^lib\/(contract|kernel)\/|^lib\/env\.ts$/],
];
export const NOUNS = [
  "actors",
  "versions",
  "audit",
  "idempotency",
  "users",
  "businesses",
  "api-keys",
  "events",
  "test-clocks",
  "packages",
  "tokenizations",
  "payment-links",
  "payments",
  "gateway-connections",
  "ledger",
  "subscriptions",
  "restores",
  "webhooks",
  "mails",
  "accounts",
  "team",
  "timeline",
  "overview",
  "search",
  "request-log",
];

const isTest = (file) => /\.test\.tsx?$|^(tests|e2e)\//.test(file);
const isTool = (file) => /^scripts\/|^[\w.-]+\.config\.(ts|mjs)$/.test(file);
const isPayer = (file) => /^app\/\(payer\)\/|^components\/payer\//.test(file);
const isConsole = (file) =>
  /^app\/\(console\)\/|^lib\/client\//.test(file) || (/^components\//.test(file) && !isPayer(file));
const nounOf = (file) => /^lib\/domain\/([^/]+)\//.exec(file)?.[1];

export function floorOf(file) {
  return FLOORS.find(([, pattern]) => pattern.test(file))?.[0] ?? null;
}

/** The rules of the house: each takes a module and all modules and gives what is wrong with it, in words. */
export const rules = {
  floors: (module) => {
    if (isTest(module.file) || isTool(module.file) || module.file.endsWith(".d.ts")) return [];
    const own = floorOf(module.file);
    if (own === null) return ["stands on no floor"];
    return ours(module).flatMap((target) => {
      if (isTest(target) || isTool(target))
        return [`imports ${target}, which is not part of the house`];
      const other = floorOf(target);
      return other !== null && other > own
        ? [`floor ${own} imports ${target} on floor ${other}`]
        : [];
    });
  },
  cycles: (_, modules, found) =>
    (found.cycles ??= cycles(modules))
      .filter((group) => group[0] === _.file)
      .map((group) => `imports in a circle: ${[...group, group[0]].join(" > ")}`),
  drizzle: (module) => {
    if (
      /^db\//.test(module.file) ||
      /(^|\/)([a-z-]+-)?rows\.ts$/.test(module.file) ||
      isTest(module.file) ||
      isTool(module.file)
    )
      return [];
    const low = /^lib\/(supervisor|operator|worker|jobs)\//.test(module.file)
      ? /^drizzle-orm(\/|$)/
      : /^(drizzle-orm|pg|postgres)(\/|$)/;
    return packages(module)
      .filter((name) => low.test(name))
      .map(
        (name) => `imports ${name}: SQL lives in db/ and in files named rows.ts or <topic>-rows.ts`,
      );
  },
  environment: (module) => {
    if (module.file === "lib/env.ts" || isTool(module.file) || /^(tests|e2e)\//.test(module.file))
      return [];
    return module.environment ? ["reads process.env: settings come from lib/env.ts"] : [];
  },
  payer: (module, modules) => {
    if (!isPayer(module.file) || isTest(module.file)) return [];
    return [...reached(modules, module.file)]
      .filter(isConsole)
      .map((target) => `payer code reaches ${target} of the dashboard`);
  },
  nouns: (module) => {
    if (isTest(module.file)) return [];
    const targets = ours(module).filter((target) => target.startsWith("lib/domain/"));
    if (/^lib\/gateways\//.test(module.file))
      return targets.map((target) => `a gateway imports ${target}`);
    if (!module.file.startsWith("lib/domain/")) return [];
    const own = nounOf(module.file);
    if (own && !NOUNS.includes(own)) return [`the noun ${own} stands in no order`];
    const place = own ? NOUNS.indexOf(own) : -1;
    return targets
      .filter((target) => NOUNS.indexOf(nounOf(target) ?? "") > place)
      .map((target) => `${own ?? "shared domain code"} imports ${target}, to its right`);
  },
  contract: (module) => {
    if (!module.file.startsWith("lib/contract/") || isTest(module.file)) return [];
    const foreign = packages(module).filter((name) => !/^zod(\/|$)/.test(name));
    const inner = ours(module).filter((target) => !/^lib\/(contract|kernel)\//.test(target));
    return [...foreign, ...inner].map((name) => `the contract imports ${name}`);
  },
  routes: (module, modules) => {
    if (!/^app\/(.*\/)?route\.tsx?$/.test(module.file)) return [];
    return [module.file, ...reached(modules, module.file)].flatMap((file) =>
      packages(modules.get(file))
        .filter((name) => /^next(\/|$)/.test(name))
        .map((name) => `a route file reaches ${name} by ${file}`),
    );
  },
  browser: (module, modules) => {
    if (!module.client) return [];
    return [...reached(modules, module.file)]
      .filter((file) =>
        /^db\/|^lib\/(env\.ts$|domain\/|gateways\/|mail\/|jobs\/|http\/)/.test(file),
      )
      .map((file) => `a browser module reaches ${file}`);
  },
  drawers: (module) => {
    const name = path.posix.basename(module.file).replace(/\.\w+$/, "");
    if (module.barrel) return ["only passes on what others export"];
    return /(^|\/)(utils?|helpers?|misc|common)(\/|$)/.test(
      `${path.posix.dirname(module.file)}/${name}`,
    )
      ? ["a drawer: name it after what is in it"]
      : [];
  },
  length: (module) => {
    const limit = module.file.endsWith(".tsx") ? 300 : 400;
    const lines = module.text.replace(/\n$/, "").split("\n").length;
    return lines > limit ? [`has ${lines} lines, of at most ${limit}`] : [];
  },
  words: (module) => {
    const found = module.any ? ["the type any"] : [];
    for (const [word, pattern] of WORDS) if (pattern.test(module.text)) found.push(word);
    return found.map((word) => `holds ${word}`);
  },
};

const WORDS = [
  ["a note for later", /\b(TO[D]O|FIX[M]E)\b/],
  ["a silenced check", /@ts-(ignore|nocheck)|eslint-disable/],
  ["a test that is left out", /\b(test|it|describe)\.(skip|only|todo|fixme)\b/],
  ["a sleep", /\bwaitForTimeout\b/],
];

/** Everything that breaks a rule, as { rule, file, text }. */
export function checkStructure(files) {
  const modules = readModules(files);
  const shared = {};
  return [...modules.values()].flatMap((module) =>
    Object.entries(rules).flatMap(([rule, check]) =>
      check(module, modules, shared).map((text) => ({ rule, file: module.file, text })),
    ),
  );
}

const ours = (module) => module.imports.flatMap(({ target }) => (target ? [target] : []));
const packages = (module) =>
  module.imports
    .filter(({ name }) => !/^[.@]\/|^\.\.?(\/|$)|^node:|^virtual:/.test(name))
    .map(({ name }) => name);
