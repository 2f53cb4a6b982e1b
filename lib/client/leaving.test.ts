import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { guardLeaving, isWaiting, leave, watchWaiting } from "./leaving";

const network = { onLine: true };
const back = () => {
  network.onLine = true;
  window.dispatchEvent(new Event("online"));
};

beforeEach(() => {
  network.onLine = true;
  vi.stubGlobal("navigator", network);
  vi.stubGlobal("window", new EventTarget());
});
afterEach(() => vi.unstubAllGlobals());

test("without a network nobody leaves the page, and the last choice alone is followed once it is back", () => {
  const went: string[] = [];
  network.onLine = false;
  leave(() => went.push("first"));
  leave(() => went.push("last"));
  expect(went).toEqual([]);
  expect(isWaiting()).toBe(true);
  back();
  expect(went).toEqual(["last"]);
  expect(isWaiting()).toBe(false);
  back();
  expect(went).toEqual(["last"]);
});

test("with a network a choice is followed at once", () => {
  const went: string[] = [];
  leave(() => went.push("now"));
  expect(went).toEqual(["now"]);
  expect(isWaiting()).toBe(false);
});

test("unsaved changes are asked about when the network is back, not before", () => {
  const asked: (() => void)[] = [];
  const went: string[] = [];
  const release = guardLeaving((go) => asked.push(go));
  network.onLine = false;
  leave(() => went.push("away"));
  expect(asked).toEqual([]);
  back();
  expect(went).toEqual([]);
  asked[0]?.();
  expect(went).toEqual(["away"]);
  release();
});

test("of two forms on a page, the one that still has unsaved changes asks, whichever is saved first", () => {
  for (const saved of ["first", "second"]) {
    const asked: string[] = [];
    const release = {
      first: guardLeaving(() => asked.push("first")),
      second: guardLeaving(() => asked.push("second")),
    };
    const left = saved === "first" ? "second" : "first";
    leave(() => asked.push("left"));
    expect(asked).toEqual(["second"]);
    release[saved as keyof typeof release]();
    leave(() => asked.push("left"));
    expect(asked).toEqual(["second", left]);
    release[left]();
    leave(() => asked.push("left"));
    expect(asked).toEqual(["second", left, "left"]);
  }
});

test("a watcher hears that a choice waits, and that it waits no more", () => {
  const seen: boolean[] = [];
  const end = watchWaiting(() => seen.push(isWaiting()));
  network.onLine = false;
  leave(() => undefined);
  back();
  end();
  network.onLine = false;
  leave(() => undefined);
  back();
  expect(seen).toEqual([true, false]);
});
