import { afterEach, expect, test, vi } from "vitest";
import { dropBodies, forgetSent, isForgotten, keepSent, readSent, type Sent } from "./sent";

const sent: Sent = { key: "k1", body: { amount: 3_200 }, says: "The charge", at: 0 };

/** A browser's storage; `full` refuses every write and read. */
function browser(full = false) {
  const kept = new Map<string, string>();
  const guard = <T>(value: T): T => {
    if (full) throw new Error("denied");
    return value;
  };
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (name: string) => guard(kept.get(name) ?? null),
      setItem: (name: string, text: string) => void kept.set(guard(name), text),
      removeItem: (name: string) => void kept.delete(guard(name)),
      key: (at: number) => guard([...kept.keys()][at] ?? null),
      get length() {
        return guard(kept.size);
      },
    },
  });
}
afterEach(() => void vi.unstubAllGlobals());

test.each([false, true])(
  "a request is kept until it is forgotten by its own key (storage denied: %s)",
  (denied) => {
    browser(denied);
    // A denied storage leaves the module's own memory, which the tests share.
    const name = `denied: ${denied}`;
    expect(readSent(name)).toBeNull();
    keepSent(name, sent);
    expect([readSent(name), readSent("another")]).toEqual([sent, null]);
    forgetSent(name, "an earlier one");
    expect(readSent(name)).toEqual(sent);
    forgetSent(name, "k1");
    expect(readSent(name)).toBeNull();
  },
);

test("what another tab keeps or has forgotten counts", () => {
  browser();
  keepSent("a", sent);
  browser();
  expect(readSent("a")).toBeNull();
});

test("once a person signs out, what settles a request is kept, and its body is not", () => {
  browser();
  window.localStorage.setItem("kutip-columns", "[]");
  keepSent("a", sent);
  keepSent("b", { ...sent, key: "k2" });
  dropBodies();
  const { body: _, ...rest } = sent;
  expect([readSent("a"), readSent("b")]).toEqual([rest, { ...rest, key: "k2" }]);
  expect(window.localStorage.getItem("kutip-columns")).toBe("[]");
  browser(true);
  expect(dropBodies).not.toThrow();
});

test("a key counts as forgotten by the server an hour before 72 hours", () => {
  expect(isForgotten(sent, 70 * 3_600_000)).toBe(false);
  expect(isForgotten(sent, 71 * 3_600_000 + 1)).toBe(true);
});
