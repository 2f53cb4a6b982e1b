import { expect, test } from "vitest";
import { drawNotices, type Notice, notify } from "./notices";

test("what is said before anything can be drawn is drawn then, once", () => {
  const drawn: Notice[] = [];
  notify({ title: "Early" });
  const release = drawNotices((notice) => drawn.push(notice));
  notify({ title: "Later" });
  expect(drawn.map(({ title }) => title)).toEqual(["Early", "Later"]);

  release();
  notify({ title: "Between" });
  drawNotices((notice) => drawn.push(notice))();
  expect(drawn.map(({ title }) => title)).toEqual(["Early", "Later", "Between"]);
});
