import { afterEach, describe, expect, test, vi } from "vitest";
import { batched, together, togetherBy } from "./batched";

/** Statements that end when the test says so. */
function statements<I>() {
  const under: { items: I[]; end: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: I[]) =>
    new Promise<string[]>((resolve, reject) => {
      under.push({ items, end: () => resolve(items.map((item) => `${item} done`)), fail: reject });
    });
  return { under, run };
}
const turn = () => vi.advanceTimersByTimeAsync(0);

afterEach(() => vi.useRealTimers());

describe("calls that travel together", () => {
  test("leave at once up to the number of statements, then together, and each gets its own result", async () => {
    vi.useFakeTimers();
    const { under, run } = statements<string>();
    const call = together(run, 1);
    const first = call("a");
    await turn();
    const others = [call("b"), call("c")];
    await turn();
    expect(under.map(({ items }) => items)).toEqual([["a"]]);
    under[0]?.end();
    expect(await first).toBe("a done");
    await turn();
    expect(under[1]?.items).toEqual(["b", "c"]);
    under[1]?.end();
    expect(await Promise.all(others)).toEqual(["b done", "c done"]);
  });

  test("a result that fails fails its own call alone", async () => {
    const call = together<string, string>(async (items) =>
      items.map((item) => (item === "bad" ? Promise.reject(new Error(item)) : item)),
    );
    const outcomes = await Promise.allSettled([call("good"), call("bad")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  test("calls that waited for a statement are tried if it failed at once, and fail with it if it took long", async () => {
    vi.useFakeTimers();
    const { under, run } = statements<string>();
    const call = together(run, 1);
    const outcomes = [call("a"), call("b")].map((one) =>
      one.catch((error: Error) => error.message),
    );
    await turn();
    outcomes.push(call("c").catch((error: Error) => error.message));
    under[0]?.fail(new Error("lost"));
    await turn();
    expect(under[1]?.items).toEqual(["c"]);
    outcomes.push(call("d").catch((error: Error) => error.message));
    await vi.advanceTimersByTimeAsync(10_000);
    under[1]?.fail(new Error("too slow"));
    expect(await Promise.all(outcomes)).toEqual(["lost", "lost", "too slow", "too slow"]);
    expect(under).toHaveLength(2);
  });

  test("equal ids are looked up once", async () => {
    const asked: string[][] = [];
    const find = batched(async (ids) => {
      asked.push(ids);
      return new Map(ids.map((id) => [id, `${id} found`]));
    });
    expect(await Promise.all([find("a"), find("a"), find("b")])).toEqual([
      "a found",
      "a found",
      "b found",
    ]);
    expect(asked).toEqual([["a", "b"]]);
  });

  test("a lane that waits keeps no other lane waiting", async () => {
    const { under, run } = statements<string>();
    const call = togetherBy((item: string) => item.slice(0, 1), run);
    const slow = [call("x1"), call("x2")];
    const free = call("y1");
    await vi.waitFor(() => expect(under).toHaveLength(2));
    under[1]?.end();
    expect(await free).toBe("y1 done");
    under[0]?.end();
    expect(await Promise.all(slow)).toEqual(["x1 done", "x2 done"]);
  });
});
