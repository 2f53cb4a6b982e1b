import { listen } from "@/db/listen";
import type { StreamMessage } from "@/lib/contract/stream";
import type { Ctx } from "@/lib/domain/context";
import { Problem } from "@/lib/kernel/problem";

const BEAT_MS = 20_000;
const MAX_STREAMS_PER_CALLER = 20;
/** Messages a browser may be behind before its stream ends; it connects again and asks anew. */
const MAX_QUEUED_MESSAGES = 200;

type Stream = {
  owner: string;
  businessId: number;
  room: string;
  say: (text: string) => void;
  /** Ends the stream when its caller may no longer read it. */
  check: () => void;
  end: () => void;
};
const streams = new Set<Stream>();
let stop: (() => void) | undefined;
let listening = false;

const ready = "event: ready\ndata: {}\n\n";
const roomOf = (businessId: number, mode: string) => `${businessId}:${mode}`;

function hear(payload: string): void {
  const [businessId, mode, type, objectId, progress] = JSON.parse(payload) as [
    number,
    string | null,
    string,
    string,
    StreamMessage["progress"]?,
  ];
  if (mode === null) {
    for (const stream of streams) if (stream.businessId === businessId) stream.check();
    return;
  }
  const room = roomOf(businessId, mode);
  const message: StreamMessage = { type, object_id: objectId, progress };
  const text = `data: ${JSON.stringify(message)}\n\n`;
  for (const stream of streams) if (stream.room === room) stream.say(text);
}

function startListening(): void {
  stop ??= listen("kutip_changes", {
    notice: hear,
    ready: () => {
      listening = true;
      for (const stream of streams) stream.say(ready);
    },
  });
}

/** Server-sent events of one business and mode, complete from `ready` on. Ends when `stillAllowed` throws a Problem. Throws 429. */
export function liveChanges(
  ctx: Ctx,
  owner: string,
  stillAllowed: () => Promise<void>,
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
          room: roomOf(ctx.businessId, ctx.mode),
          say: (text) => {
            if ((controller.desiredSize ?? 0) < -MAX_QUEUED_MESSAGES) return stream.end();
            controller.enqueue(encoder.encode(text));
          },
          check: () =>
            void stillAllowed().catch(
              (error: unknown) =>
                error instanceof Problem &&
                error.status < 429 &&
                streams.has(stream) &&
                stream.end(),
            ),
          end: () => {
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
        stream.say("retry: 2000\n\n");
        if (listening) stream.say(ready);
        startListening();
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
}
