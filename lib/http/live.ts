import { randomUUID } from "node:crypto";
import { listen } from "@/db/listen";
import type { StreamMessage, StreamReady } from "@/lib/contract/stream";
import type { Ctx } from "@/lib/domain/context";
import { Problem } from "@/lib/kernel/problem";

const BEAT_MS = 20_000;
const MAX_STREAMS_PER_CALLER = 20;
/** Messages a browser may be behind before its stream ends; it connects again and asks anew. */
const MAX_QUEUED_MESSAGES = 200;

type Stream = {
  owner: string;
  businessId: number;
  personId: string | undefined;
  channel: string;
  say: (text: string) => void;
  /** Ends the stream when its caller may no longer read it. */
  check: () => void;
  end: () => void;
};
const streams = new Set<Stream>();
let stop: (() => void) | undefined;
let listening = false;

/** The latest changes of every business, for streams of pages that were read a moment before. */
const KEPT_CHANGES = 1_000;
const processId = randomUUID();
let kept: { at: number; channel: string; text: string }[] = [];
/** In milliseconds of this process's own clock; later changes are all in `kept`. */
let keptFromMs = Number.POSITIVE_INFINITY;

const readyText = (ready: StreamReady) => `event: ready\ndata: ${JSON.stringify(ready)}\n\n`;
const channelOf = (businessId: number, mode: string) => `${businessId}:${mode}`;

function hear(payload: string): void {
  const [businessId, mode, type, objectId, progress] = JSON.parse(payload) as [
    number,
    string | null,
    string,
    string,
    StreamMessage["progress"]?,
  ];
  const message: StreamMessage = { type, object_id: objectId, progress };
  const text = `data: ${JSON.stringify(message)}\n\n`;
  if (mode === null) {
    for (const stream of streams)
      if (stream.businessId === businessId) {
        if (stream.personId === objectId) stream.say(text);
        stream.check();
      }
    return;
  }
  const channel = channelOf(businessId, mode);
  kept.push({ at: performance.now(), channel, text });
  if (kept.length > KEPT_CHANGES) keptFromMs = kept.shift()?.at ?? keptFromMs;
  for (const stream of streams) if (stream.channel === channel) stream.say(text);
}

/** A moment (`performance.now()`) as a stream takes it in `since`; undefined where changes after it may be missing. */
export const positionOf = (moment: number): string | undefined =>
  moment > keptFromMs ? `${processId}.${moment}` : undefined;

/** The changes of a channel after a position; undefined where some may be missing or a stream could not take them at once. */
function changesSince(position: string | null, channel: string): string[] | undefined {
  const [, from, moment] = /^(.{36})\.([\d.]{1,32})$/.exec(position ?? "") ?? [];
  if (from !== processId || !(Number(moment) > keptFromMs)) return undefined;
  const missed = kept.flatMap((one) =>
    one.at > Number(moment) && one.channel === channel ? one.text : [],
  );
  return missed.length < MAX_QUEUED_MESSAGES ? missed : undefined;
}

/** Subscribes to the changes in the database, unless that was done before. */
export function listenForChanges(): void {
  stop ??= listen("kutip_changes", {
    notice: hear,
    ready: () => {
      listening = true;
      keptFromMs = performance.now();
      kept = [];
      for (const stream of streams) stream.say(readyText({}));
    },
  });
}

/**
 * Server-sent events of one business and mode, complete from `ready` on, or from `since` where that is known. Ends when `stillAllowed`
 * throws a Problem. Throws 429.
 */
export function liveChanges(
  ctx: Ctx,
  owner: string,
  stillAllowed: () => Promise<void>,
  since: string | null = null,
): ReadableStream<Uint8Array> {
  if ([...streams].filter((stream) => stream.owner === owner).length >= MAX_STREAMS_PER_CALLER)
    throw new Problem(429, "too_many_requests", "Too many open streams.", {
      headers: { "retry-after": "30" },
    });
  const encoder = new TextEncoder();
  let over = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const stream: Stream = {
          owner,
          businessId: ctx.businessId,
          personId: ctx.actor.id,
          channel: channelOf(ctx.businessId, ctx.mode),
          say: (text) => {
            if (!streams.has(stream)) return;
            if ((controller.desiredSize ?? 0) < -MAX_QUEUED_MESSAGES) return stream.end();
            controller.enqueue(encoder.encode(text));
          },
          check: () =>
            void stillAllowed().catch(
              (error: unknown) => error instanceof Problem && error.status < 429 && stream.end(),
            ),
          end: () => {
            if (!streams.has(stream)) return;
            over();
            controller.close();
          },
        };
        const beat = setInterval(() => {
          stream.say(": still here\n\n");
          stream.check();
        }, BEAT_MS).unref();
        over = () => {
          clearInterval(beat);
          streams.delete(stream);
        };
        streams.add(stream);
        // A browser names the last id when it connects again: its first position does not cover what it has then.
        stream.say("retry: 2000\nid: open\n\n");
        const missed = changesSince(since, stream.channel);
        for (const text of missed ?? []) stream.say(text);
        if (listening) stream.say(readyText(missed ? { complete: true } : {}));
        listenForChanges();
      },
      cancel: () => over(),
    },
    { highWaterMark: 1 },
  );
}

/** Ends every stream and stops listening: the process is about to end, and a stream would keep it. */
export function endStreams(): void {
  for (const stream of [...streams]) stream.end();
  stop?.();
  stop = undefined;
  listening = false;
  keptFromMs = Number.POSITIVE_INFINITY;
}
