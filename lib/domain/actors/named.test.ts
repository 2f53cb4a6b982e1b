import { expect, test } from "vitest";
import { named } from "./named";

test("what Kutip does at its time is named as that, and no clock is named", () => {
  expect(named({ kind: "clock" }, new Map())).toEqual({
    kind: "clock",
    name: "Kutip (automatic)",
  });
});
