import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { guardLeaving, isDoubled, isWaiting, leave, watchWaiting } from "./leaving";

const network = { onLine: true };
const back = () => {
  network.onLine = true;
  window.dispatchEvent(new Event("online"));
};

/** A tab: its entries, and at which of them it is. */
class Tab extends EventTarget {
  entries: { href: string; state: unknown }[] = [{ href: "/list", state: {} }];
  at = 0;
  location = Object.defineProperty({ href: "" }, "href", {
    get: () => this.entries[this.at]?.href,
  });
  history = Object.defineProperty(
    {
      state: undefined,
      pushState: (state: unknown, _: string, href: string) => {
        this.entries = [...this.entries.slice(0, this.at + 1), { href, state }];
        this.at += 1;
      },
      go: (steps: number) => {
        if (!this.entries[this.at + steps]) return;
        this.at += steps;
        this.dispatchEvent(new Event("popstate"));
      },
      back: () => this.history.go(-1),
      forward: () => this.history.go(1),
    },
    "state",
    { get: () => this.entries[this.at]?.state },
  );
  /** As the router leads to a page. */
  open = (href: string) => this.history.pushState({}, "", href);
}
let tab = new Tab();

beforeEach(() => {
  network.onLine = true;
  tab = new Tab();
  tab.open("/form");
  vi.stubGlobal("navigator", network);
  vi.stubGlobal("window", tab);
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

test("Back stays on a page that would lose something, and asks; the answer leaves it", () => {
  const asked: { go: () => void; byBack: boolean }[] = [];
  const release = guardLeaving((go, byBack) => asked.push({ go, byBack }));
  for (const times of [1, 2]) {
    tab.history.back();
    expect(asked).toHaveLength(times);
    expect(tab.location.href).toBe("/form");
  }
  expect(asked[1]?.byBack).toBe(true);
  asked[1]?.go();
  expect(tab.location.href).toBe("/list");
  release();
});

test("once nothing is to be lost, one Back leaves the page, also after it was left by a link and come back to", () => {
  guardLeaving(() => undefined)();
  guardLeaving(() => undefined)();
  expect(tab.entries).toHaveLength(3);
  tab.history.back();
  expect(tab.location.href).toBe("/list");

  tab.history.go(2);
  tab.open("/record");
  expect(isDoubled()).toBe(false);
  tab.history.back();
  expect(tab.location.href).toBe("/form");
  expect(isDoubled()).toBe(true);
  tab.history.back();
  expect(tab.location.href).toBe("/list");
});

test("a page that is opened anew asks too, whatever the history knows of its visit before", () => {
  guardLeaving(() => undefined)();
  tab.open("/record");
  tab.open("/form");
  let asked = 0;
  const release = guardLeaving(() => (asked += 1));
  tab.history.back();
  expect(asked).toBe(1);
  expect(tab.location.href).toBe("/form");
  release();
});
