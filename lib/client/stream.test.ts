import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listPayments } from "@/lib/contract/operations";
import { keys } from "./keys";
import { follow } from "./stream";
import { meKey } from "./use-me";

const scope = { business: "1001", mode: "test" } as const;
const answerMs = 400;
const changeMs = 20;

/** The stream that the page has open. */
let stream: Source;
class Source extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;
  constructor() {
    super();
    stream = this;
  }
  close() {}
}
const says = (type: string, data: object) =>
  stream.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
const change = () => says("message", { type: "payment.flagged", object_id: "6".repeat(24) });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal(
    "BroadcastChannel",
    class extends EventTarget {
      close() {}
    },
  );
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A page with one list, which follows the stream. Its answers are numbers of changes: those there were when each was asked for. */
async function page() {
  let changes = 0;
  const list = { asked: 0, cancelled: 0, shown: [] as number[] };
  const client = new QueryClient();
  const observer = new QueryObserver(client, {
    queryKey: keys.call(scope, listPayments, {}),
    queryFn: ({ signal }) => {
      list.asked += 1;
      const seen = changes;
      return new Promise<number>((resolve, reject) => {
        setTimeout(() => resolve(seen), answerMs);
        signal.addEventListener("abort", () => {
          list.cancelled += 1;
          reject(new Error("cancelled"));
        });
      });
    },
  });
  observer.subscribe(({ data }) => {
    if (data !== undefined && data !== list.shown.at(-1)) list.shown.push(data);
  });
  await vi.advanceTimersByTimeAsync(answerMs);
  const leave = follow(client, scope, undefined, () => undefined);
  const burst = async (count: number) => {
    for (let at = 0; at < count; at++) {
      changes += 1;
      change();
      await vi.advanceTimersByTimeAsync(changeMs);
    }
  };
  return { list, burst, leave };
}

test("while changes come faster than answers, answers are shown, and the last one knows of the last change", async () => {
  const { list, burst, leave } = await page();
  await burst(200);
  expect(list.shown.length).toBeGreaterThan(5);
  await vi.runAllTimersAsync();
  expect(list.shown.at(-1)).toBe(200);
  expect(list.cancelled).toBe(0);
  leave();
});

test("changes of a moment are asked about once", async () => {
  const { list, burst, leave } = await page();
  await burst(3);
  await vi.runAllTimersAsync();
  expect(list.asked).toBe(2);
  leave();
});

test("a stream that is open again asks at once, whatever is on its way", async () => {
  const { list, burst, leave } = await page();
  await burst(10);
  expect(list.asked).toBe(2);
  says("ready", {});
  expect(list.asked).toBe(3);
  await burst(10);
  expect(list.asked).toBe(3);
  await vi.runAllTimersAsync();
  expect(list.shown.at(-1)).toBe(20);
  leave();
});

test("a page that is left asks nothing more", async () => {
  const { list, burst, leave } = await page();
  await burst(10);
  leave();
  await vi.runAllTimersAsync();
  expect(list.asked).toBe(2);
});

/** A page that shows who is signed in, and how often it has asked for that. */
async function frame() {
  const me = { asked: 0 };
  const client = new QueryClient();
  new QueryObserver(client, {
    queryKey: meKey,
    queryFn: () => (me.asked += 1),
    staleTime: Infinity,
  }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  return { me, leave: follow(client, scope, undefined, () => undefined) };
}

test("a stream that is refused has the page ask who is signed in: a session or a membership may have ended", async () => {
  const { me, leave } = await frame();
  stream.readyState = Source.CLOSED;
  stream.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(0);
  expect(me.asked).toBe(2);
  leave();
});

test("a stream that broke and is tried again by the browser has the page ask nothing yet", async () => {
  const { me, leave } = await frame();
  stream.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(0);
  expect(me.asked).toBe(1);
  leave();
});

test("another role of the reader has the page ask who they are, and for all that it shows", async () => {
  const first = await frame();
  says("message", { type: "access.changed", object_id: "6".repeat(24) });
  await vi.runAllTimersAsync();
  expect(first.me.asked).toBe(2);
  first.leave();
  const { list, leave } = await page();
  says("message", { type: "access.changed", object_id: "6".repeat(24) });
  await vi.runAllTimersAsync();
  expect(list.asked).toBe(2);
  leave();
});
