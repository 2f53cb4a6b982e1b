import { afterEach, expect, test, vi } from "vitest";
import { fairQueue } from "./fair-queue";

const limits = {
  running: 2,
  runningPerOwner: 1,
  waitingPerKind: 2,
  waiting: 5,
  waitMs: 1_000,
};

/** A queue with work that ends when the test says so. */
function setUp(own: Partial<typeof limits> = {}) {
  const queue = fairQueue({ ...limits, ...own });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (owner: number, name: string, kind = "receipt", signal?: AbortSignal) => {
    const done = queue.run(
      owner,
      kind,
      () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      signal,
    );
    done.catch(() => undefined);
    return done;
  };
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    await rest();
    ends.get(name)?.();
    await rest();
  };
  return { add, end, started };
}

const refused = { status: 429, options: { headers: { "retry-after": "5" } } };

afterEach(() => void vi.useRealTimers());

test("one owner has so much under way and so many waiting of each kind; more is a 429 with Retry-After", async () => {
  const { add, end, started } = setUp();
  const first = add(1, "a");
  const [second, third] = [add(1, "b"), add(1, "c")];
  await expect(add(1, "d")).rejects.toMatchObject(refused);
  // Another kind has places of its own.
  const image = add(1, "e", "image");
  await end("a");
  await end("b");
  await end("c");
  await end("e");
  expect(await Promise.all([first, second, third, image])).toEqual(["a", "b", "c", "e"]);
  expect(started).toEqual(["a", "b", "c", "e"]);
});

test("owners take turns: one with a full queue delays another by no more than what is under way", async () => {
  const { add, end, started } = setUp({ running: 1 });
  for (const name of ["a1", "a2", "a3"]) void add(1, name);
  void add(2, "b1");
  void add(3, "c1");
  for (const name of ["a1", "b1", "c1", "a2"]) await end(name);
  expect(started).toEqual(["a1", "b1", "c1", "a2", "a3"]);
});

test("one owner never takes the last place of those under way", async () => {
  const { add, started } = setUp();
  void add(1, "a1");
  void add(1, "a2");
  void add(2, "b1");
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["a1", "b1"]);
});

test("a caller that disconnects frees its place at once and its work never begins", async () => {
  const { add, end, started } = setUp();
  const gone = new AbortController();
  void add(1, "a");
  const left = add(1, "b", "receipt", gone.signal);
  void add(1, "c");
  gone.abort();
  await expect(left).rejects.toMatchObject({ status: 400 });
  void add(1, "d");
  await end("a");
  await end("c");
  expect(started).toEqual(["a", "c", "d"]);
});

test("the places of all owners together are bounded, and work that fails frees its own", async () => {
  const { add, end, started } = setUp({ waiting: 1 });
  void add(1, "a");
  void add(1, "b");
  await expect(add(1, "c", "image")).rejects.toMatchObject(refused);
  const failing = fairQueue(limits);
  const fail = () => failing.run(1, "receipt", () => Promise.reject(new Error("broken")));
  for (let time = 0; time < 5; time++) await expect(fail()).rejects.toThrow("broken");
  await end("a");
  expect(started).toEqual(["a", "b"]);
});

test("no caller waits for ever", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { add } = setUp();
  void add(1, "a");
  const waited = add(1, "b");
  vi.advanceTimersByTime(limits.waitMs);
  await expect(waited).rejects.toMatchObject(refused);
});
