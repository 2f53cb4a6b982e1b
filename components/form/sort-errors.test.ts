import { expect, test } from "vitest";
import { sortErrors } from "./sort-errors";

test("a 422 goes to the fields it names, all its texts, and the rest as a whole", () => {
  const sorted = sortErrors(
    { title: ["A.", "B."], "address.city": ["C."], idempotency_key: ["D."] },
    ["title", "address"],
  );
  expect(sorted).toEqual({ own: { title: "A. B.", address: "C." }, other: ["D."] });
});
