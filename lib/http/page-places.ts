import type { IncomingMessage, ServerResponse } from "node:http";
import { fairQueue } from "@/lib/kernel/fair-queue";
import { consume } from "@/lib/domain/limits/limits";

// Next.js renders pages, unknown paths too, in the web thread. So few at a time keep it free for the API and for payers.
const AT_ONCE = 8;
const AT_ONCE_PER_ADDRESS = 4;
const WAITING_PER_ADDRESS = 64;
const WAITING = 4_096;
const WAIT_MS = 20_000;
// Rendering ends long before this. A slow reader must not hold a place that others need.
const PLACE_MS = 2_000;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Lets `serve` render a few pages at a time, in turns between addresses. The returned function throws 429 when an address (undefined:
 * unknown) asks for too many pages a second, or when too many wait.
 */
export function pagePlaces(serve: Serve, placeMs = PLACE_MS) {
  const queue = fairQueue({
    running: AT_ONCE,
    runningPerOwner: AT_ONCE_PER_ADDRESS,
    waitingPerKind: WAITING_PER_ADDRESS,
    waiting: WAITING,
    waitMs: WAIT_MS,
  });
  return async (
    address: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    await consume("page", address);
    const work = () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, placeMs);
        response.once("close", () => {
          clearTimeout(timer);
          resolve();
        });
        serve(request, response);
      });
    await queue.run(address ?? "", "page", work, gone.signal);
  };
}
