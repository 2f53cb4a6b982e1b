import { expect, test } from "vitest";
import { shortcuts } from "./shortcut-list";
import { rowKeys } from "../ui/use-row-keys";
import { names } from "./use-shortcuts";

test("the list of shortcuts has every one that works, once", () => {
  expect(shortcuts.map(({ keys }) => keys).sort()).toEqual(
    [...names, "Ctrl K", "Ctrl Z", ...rowKeys].sort(),
  );
});
