import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Webhook } from "standardwebhooks";
import type { Event } from "@/lib/contract/events";
import { type ApiClient, apiClient, keyFromStdin, RefusedCall } from "./api-client";
import { note, print, UsageError } from "./usage";

const POLL_MS = 1_000;
const PER_PAGE = 100;
const ANSWER_WITHIN_MS = 15_000;

/** Prints the events of a business in test mode as they happen, and sends them to a local address, signed as webhooks are. */
export async function listen(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { "forward-to": { type: "string" }, url: { type: "string" } },
  });
  const target = values["forward-to"] ?? "";
  if (!URL.canParse(target) || !/^https?:$/.test(new URL(target).protocol))
    throw new UsageError(
      "--forward-to is the address of your program, such as http://localhost:8080",
    );
  const client = apiClient(await keyFromStdin(), values.url);
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  await forwardEvents(client, target, secret, stopping.signal, POLL_MS);
}

type Page = { data: Event[]; next_cursor: string | null };

/** Longer than any transaction is open: an event that commits late is not further behind. */
const LATE_MS = 10 * 60_000;

/** Events by their times, newest first, page by page. */
async function* eventPages({ call }: ApiClient, filter: string): AsyncGenerator<Event[]> {
  const path = `/events?per_page=${PER_PAGE}&${filter}`;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page = await call<Page>("GET", cursor === "" ? path : `${path}&cursor=${cursor}`);
    yield page.data;
    cursor = page.next_cursor;
  }
}

/**
 * Where the log is read from: its end; undefined where the log is younger than ten minutes. `listed` has the events that were there when it began and may
 * come again. The log goes by transactions: an event that is there already may come behind one that commits later.
 */
async function startOf(
  client: ApiClient,
  stopping: AbortSignal,
): Promise<{ after?: string; listed: Set<string> }> {
  const since = Date.now() - LATE_MS;
  const moment = new Date(since).toISOString();
  const listed = new Set<string>();
  let after: string | undefined;
  for await (const page of eventPages(client, `created_to=${moment}`)) {
    for (const { _id } of page) listed.add(_id);
    // By its id: a test clock may have made its event's time another one.
    after = page.find(({ _id }) => Number.parseInt(_id.slice(0, 8), 16) * 1_000 < since)?._id;
    if (after !== undefined) break;
  }
  // Events of a test clock in the past may come behind the newest event.
  for (let isEnd = after === undefined; !isEnd && !stopping.aborted; ) {
    const path = `/events?per_page=${PER_PAGE}&after=${after}`;
    const found = await nextPage(client, path, stopping);
    after = found.at(-1)?._id ?? after;
    isEnd = found.length < PER_PAGE;
  }
  for await (const page of eventPages(client, `created_from=${moment}`))
    for (const { _id } of page) listed.add(_id);
  return { ...(after === undefined ? {} : { after }), listed };
}

/**
 * Forwards each event from now on, in the order of the log, until it is stopped. A log of less than ten minutes goes by the events' times.
 * An event that the target refuses is printed and not sent again. Prints the secret first, so that the target can be started with it.
 */
export async function forwardEvents(
  client: ApiClient,
  target: string,
  secret: string,
  stopping: AbortSignal,
  pollMs: number,
): Promise<void> {
  const webhook = new Webhook(secret);
  const start = await startOf(client, stopping);
  const seen = start.listed;
  let { after } = start;
  print(`Signing secret: ${secret}`);
  note(`events of test mode at ${client.origin} go to ${target}; Ctrl-C ends`);
  while (!stopping.aborted) {
    // A young log is read from its beginning: an event may still commit before its first.
    const from = after === undefined ? "sort=created_at" : `after=${after}`;
    const found = await nextPage(client, `/events?per_page=${PER_PAGE}&${from}`, stopping);
    for (const event of found) {
      if (stopping.aborted) return;
      if (seen.has(event._id)) continue;
      print(`${event.type}  ${event._id}  ${await forward(event, target, webhook)}`);
      if (after === undefined) seen.add(event._id);
    }
    if (after !== undefined) after = found.at(-1)?._id ?? after;
    else if (found.length === PER_PAGE) after = found[0]?._id;
    if (found.length < PER_PAGE)
      await sleep(pollMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** A page of the log. An install that is away or busy is asked again, however long that takes. */
async function nextPage(client: ApiClient, path: string, stopping: AbortSignal): Promise<Event[]> {
  while (!stopping.aborted) {
    try {
      return (await client.call<Page>("GET", path)).data;
    } catch (error) {
      const seconds = error instanceof RefusedCall ? error.retryAfterSeconds : null;
      if (seconds === null) throw error;
      note(`${(error as Error).message}; trying again`);
      await sleep(seconds * 1_000, undefined, { signal: stopping }).catch(() => {});
    }
  }
  return [];
}

/** Sends an event as a webhook. Returns what came of it. */
async function forward(event: Event, target: string, webhook: Webhook): Promise<string> {
  const body = JSON.stringify(event);
  const at = new Date();
  try {
    const response = await fetch(target, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "webhook-id": event._id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": webhook.sign(event._id, at, body),
      },
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError"
      ? "no answer in time"
      : "not reached";
  }
}
