import { expect, test } from "vitest";
import { offersUndo } from "./offers-undo";

const own = { _id: "1", can_undo: true };
const tab = { mayUndo: true, started: new Set([own._id]) };

test("the tab that started a change of many links offers to undo it", () => {
  expect(offersUndo(own, tab)).toBe(true);
});

test.each([
  ["a change that a colleague or another tab started", { ...own, _id: "2" }, tab],
  ["a viewer", own, { ...tab, mayUndo: false }],
  ["what cannot be undone", { ...own, can_undo: false }, tab],
])("no Undo is offered for %s", (_, batch, of) => {
  expect(offersUndo(batch, of)).toBe(false);
});
