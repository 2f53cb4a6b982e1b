import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { sharedLookup } from "./shared-lookup";

const four = { address: "192.0.2.1", family: 4 };
const six = { address: "2001:db8::1", family: 6 };

function setUp() {
  const asked: { host: string; answer: (error: Error | null, found: LookupAddress[]) => void }[] =
    [];
  const lookup = sharedLookup((host, answer) => void asked.push({ host, answer }));
  const ask = (host: string, options = {}) =>
    new Promise((resolve) =>
      lookup(host, options, (error, ...found) => resolve(error ? error.message : found)),
    );
  return { asked, ask };
}

test("calls that need the same name share one look-up, and the next call asks again", async () => {
  const { asked, ask } = setUp();
  const calls = [ask("a.example"), ask("a.example"), ask("b.example"), ask("a.example")];
  expect(asked.map(({ host }) => host)).toEqual(["a.example", "b.example"]);
  for (const { answer } of asked) answer(null, [four]);
  expect(await Promise.all(calls)).toEqual(Array(4).fill([four.address, 4]));
  const later = ask("a.example");
  expect(asked).toHaveLength(3);
  asked[2]?.answer(null, [six]);
  expect(await later).toEqual([six.address, 6]);
});

test("a look-up that fails, fails all its calls, and is not kept", async () => {
  const { asked, ask } = setUp();
  const calls = [ask("a.example"), ask("a.example")];
  asked[0]?.answer(new Error("EAI_AGAIN"), []);
  expect(await Promise.all(calls)).toEqual(["EAI_AGAIN", "EAI_AGAIN"]);
  const later = ask("a.example");
  asked[1]?.answer(null, [four]);
  expect(await later).toEqual([four.address, 4]);
});

test("the caller gets all addresses or one, of the family that it wants", async () => {
  for (const [options, expected] of [
    [{ all: true }, [[six, four]]],
    [{ all: true, family: 4 }, [[four]]],
    [{}, [six.address, 6]],
    [{ family: 4 }, [four.address, 4]],
  ] as const) {
    const { asked, ask } = setUp();
    const call = ask("a.example", options);
    asked[0]?.answer(null, [six, four]);
    expect(await call).toEqual(expected);
  }
  const { asked, ask } = setUp();
  const none = ask("a.example", { family: 6 });
  asked[0]?.answer(null, [four]);
  expect(await none).toBe("no address");
});
