import { setTimeout as pause } from "node:timers/promises";
import { told } from "../proof";

const CALLERS = 4;
const PAUSE_MS = 100;
const HEALTH_PAUSE_MS = 500;
const LIMIT_MS = 60_000;
const KINDS = ["create", "get", "list", "pay page", "live", "ready"] as const;

export type Kind = (typeof KINDS)[number];
/** How often each answer came: a status, with what a 503 lacks, or why there was none. */
export type Answers = { counts: Record<string, number>; longestSeconds: number };
export type Tally = Record<Kind, Answers>;
export type Callers = {
  /** A new tally, of what is asked from now on. */
  next: () => Tally;
  /** Acknowledged links, titles by id. */
  links: Map<string, string>;
  requests: () => number;
  stop: () => Promise<void>;
};

/** What they do, in words for the report. */
export const mixOf = (count = CALLERS): string =>
  `${count} callers: create, get, list, pay page; live and ready twice a second`;

const emptyTally = (): Tally =>
  Object.fromEntries(KINDS.map((kind) => [kind, { counts: {}, longestSeconds: 0 }])) as Tally;

/** One call, which is counted; the text of a 200. */
async function ask(
  answers: Answers,
  url: string,
  key: string,
  { method, body }: { method: string; body?: object } = { method: "GET" },
): Promise<string | undefined> {
  const began = performance.now();
  const found = await fetch(url, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(LIMIT_MS),
  })
    .then(async (answer) => ({ name: nameOf(answer), text: await answer.text() }))
    .catch((error: Error) => ({
      name: `no answer: ${(error.cause as Error | undefined)?.message ?? error.message}`,
      text: "",
    }));
  answers.counts[found.name] = (answers.counts[found.name] ?? 0) + 1;
  answers.longestSeconds = Math.max(answers.longestSeconds, (performance.now() - began) / 1_000);
  return found.name === "200" ? found.text : undefined;
}

const nameOf = ({ status, headers }: Response) =>
  status === 503 && !headers.has("retry-after") ? "503 without Retry-After" : String(status);

/** Changes these links again and again, `count` callers at a time, until stopped. */
export function startChanges(
  url: string,
  key: string,
  links: ReadonlyMap<string, string>,
  count: number,
): { stop: () => Promise<Answers> } {
  const answers: Answers = { counts: {}, longestSeconds: 0 };
  const all = [...links];
  let isRunning = true;
  const changer = async (number: number) => {
    for (let at = number; isRunning; at++) {
      const [id, title] = all[at % all.length] ?? [];
      const body = { email: "ana@example.com", currency: "MYR", amount: 1_300, title };
      await ask(answers, `${url}/api/payment-links/${id}`, key, { method: "PUT", body });
      await pause(PAUSE_MS);
    }
  };
  const changers = Array.from({ length: count }, (_, number) => changer(number));
  return {
    stop: async () => {
      isRunning = false;
      await Promise.all(changers);
      return answers;
    },
  };
}

/**
 * Asks an install again and again until stopped, its web processes in turn where there are several. Nothing is repeated, and every answer is
 * counted.
 */
export function startCallers(
  urls: readonly string[],
  key: string,
  { count = CALLERS, pauseMs = PAUSE_MS } = {},
): Callers {
  const links = new Map<string, string>();
  let tally = emptyTally();
  let requests = 0;
  let isRunning = true;

  const call = (kind: Kind, path: string, body?: object) => {
    const url = `${urls[requests++ % urls.length]}${path}`;
    return ask(tally[kind], url, key, body && { method: "POST", body });
  };

  const caller = async (number: number) => {
    let last: string | undefined;
    for (let at = 0; isRunning; at++) {
      const title = `Caller ${number}-${at}`;
      const made = await call("create", "/api/payment-links", {
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title,
        send_email: false,
      });
      if (made !== undefined) {
        last = (JSON.parse(made) as { data: { _id: string } }).data._id;
        links.set(last, title);
      }
      if (last !== undefined) {
        await call("get", `/api/payment-links/${last}`);
        await call("pay page", `/pay?id=${last}`);
      }
      await call("list", "/api/payment-links?per_page=20");
      await pause(pauseMs);
    }
  };
  const health = async (kind: "live" | "ready") => {
    while (isRunning) {
      await call(kind, `/api/health/${kind}`);
      await pause(HEALTH_PAUSE_MS);
    }
  };
  const all = [
    ...Array.from({ length: count }, (_, number) => caller(number)),
    health("live"),
    health("ready"),
  ];
  return {
    next: () => (tally = emptyTally()),
    links,
    requests: () => requests,
    stop: async () => {
      isRunning = false;
      await Promise.all(all);
    },
  };
}

/** Whether calls got these answers alone, one of them at least, and in time. */
export type Limits = {
  only: readonly string[];
  seen?: string;
  mostSeconds?: number;
  /** The largest share of them that may be 503. */
  mostRefused?: number;
};

/** Prints the answers to one kind of call. */
export function tellAnswer(
  name: string,
  { counts, longestSeconds }: Answers,
  { only, seen, mostSeconds = Number.POSITIVE_INFINITY, mostRefused = 1 }: Limits,
): void {
  const names = Object.keys(counts);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const list = Object.entries(counts).map(([one, count]) => `${one}: ${count}`);
  told(
    name,
    `${list.join(", ")}; longest ${longestSeconds.toFixed(1)} s`,
    names.length > 0 &&
      names.every((one) => only.includes(one)) &&
      (seen === undefined || names.includes(seen)) &&
      (counts["503"] ?? 0) <= all * mostRefused &&
      longestSeconds <= mostSeconds,
  );
}

/** Prints the answers to several kinds of calls. */
export function tellAnswers(
  name: string,
  tally: Tally,
  kinds: readonly Kind[],
  limits: Limits,
): void {
  for (const kind of kinds) tellAnswer(`${name}: ${kind}`, tally[kind], limits);
}
