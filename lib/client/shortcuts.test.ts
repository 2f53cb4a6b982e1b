import { expect, test } from "vitest";
import { keyReader, pairMs } from "./shortcuts";

const names = ["c", "?", "g p", "g s"];
const reading = () => {
  const read = keyReader(names);
  return (keys: string, at = 0, gap = 100) =>
    keys.split(" ").map((key, index) => read({ key }, at + index * gap));
};

test("a single key is complete at once", () => {
  expect(reading()("c")).toEqual(["c"]);
  expect(reading()("?")).toEqual(["?"]);
});

test("a pair is complete with its second key", () => {
  expect(reading()("g p")).toEqual([undefined, "g p"]);
});

test("a pair pressed too slowly is none", () => {
  expect(reading()("g p", 0, pairMs + 1)).toEqual([undefined, undefined]);
});

test("an unknown second key ends the pair, and may be a shortcut itself", () => {
  expect(reading()("g x p")).toEqual([undefined, undefined, undefined]);
  expect(reading()("g c")).toEqual([undefined, "c"]);
});

test("with Ctrl, Alt or Meta held no shortcut runs, and an unfinished pair is forgotten", () => {
  const read = keyReader(names);
  read({ key: "g" }, 0);
  expect(read({ key: "c", ctrlKey: true }, 10)).toBeUndefined();
  expect(read({ key: "p" }, 20)).toBeUndefined();
});

test("Shift on the way to ? ends no pair", () => {
  const read = keyReader(["g ?"]);
  read({ key: "g" }, 0);
  expect(read({ key: "Shift" }, 5)).toBeUndefined();
  expect(read({ key: "?" }, 10)).toBe("g ?");
});
