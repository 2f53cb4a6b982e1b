import { afterEach, expect, test, vi } from "vitest";
import { dropContents, forgetSent, isForgotten, keepSent, readSent, type Sent } from "./sent";

const sent: Sent = {
  key: "k1",
  body: { amount: 3_200, email: "ana@example.com" },
  says: "The subscription of ana@example.com",
  at: 0,
};

type Refused = "nothing" | "writes" | "all";

/** A browser's storage; a full one refuses writes and can be read. */
function browser(refused: Refused = "nothing") {
  const kept = new Map<string, string>();
  const guard = <T>(value: T, by: Refused[] = ["all"]): T => {
    if (by.includes(refused)) throw new Error("denied");
    return value;
  };
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (name: string) => guard(kept.get(name) ?? null),
      setItem: (name: string, text: string) => void kept.set(guard(name, ["writes", "all"]), text),
      removeItem: (name: string) => void kept.delete(guard(name)),
      key: (at: number) => guard([...kept.keys()][at] ?? null),
      get length() {
        return guard(kept.size);
      },
    },
  });
}
afterEach(() => void vi.unstubAllGlobals());

test.each<Refused>(["nothing", "writes", "all"])(
  "a request is kept until it is forgotten by its own key (storage refuses: %s)",
  (refused) => {
    browser(refused);
    // Without storage there is the module's own memory, which the tests share.
    const name = `refused: ${refused}`;
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

test("once a person signs out, what settles a request is kept, and no word of its payer is", () => {
  browser();
  window.localStorage.setItem("kutip-columns", "[]");
  keepSent("a", sent);
  keepSent("b", { ...sent, key: "k2", place: "/payment-links?import_id=6740" });
  dropContents();
  const rest = { says: "A request", at: 0 };
  expect([readSent("a"), readSent("b")]).toEqual([
    { ...rest, key: "k1" },
    { ...rest, key: "k2", place: "/payment-links?import_id=6740" },
  ]);
  expect(window.localStorage.getItem("kutip-columns")).toBe("[]");
  browser("all");
  expect(dropContents).not.toThrow();
});

test("a request that nothing can be found out about any more loses its contents when another is sent", () => {
  browser();
  const young = { ...sent, at: Date.now() };
  keepSent("old", sent);
  keepSent("young", young);
  keepSent("third", young);
  expect(readSent("old")).toEqual({ key: "k1", says: "A request", at: 0 });
  expect(readSent("young")).toEqual(young);
});

test("a key counts as forgotten by the server an hour before 72 hours", () => {
  expect(isForgotten(sent, 70 * 3_600_000)).toBe(false);
  expect(isForgotten(sent, 71 * 3_600_000 + 1)).toBe(true);
});
