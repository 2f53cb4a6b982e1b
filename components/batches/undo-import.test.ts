import { expect, test } from "vitest";
import { linksToCancel } from "./undo-import";

test("the question of an undo counts every link that it cancels, and says what the open ones come to", () => {
  const myr = { currency: "MYR", count: 283, amount: 5_254_000 };
  const sgd = { currency: "SGD", count: 1, amount: 500 };
  expect(linksToCancel([myr, sgd], []).replaceAll("\u00a0", " ")).toBe(
    "284 payment links are open: MYR 52,540.00 and SGD 5.00.",
  );
  expect(linksToCancel([{ ...myr, count: 1 }], [])).toMatch(/^1 payment link is open/);
  expect(linksToCancel([], [])).toBe("No payment link of it is open.");
  expect(linksToCancel([sgd], [{ ...myr, count: 15 }, sgd])).toMatch(
    /^1 payment link is open: .+\. 16 have expired and are cancelled too, so that the file can be imported again\.$/,
  );
  expect(linksToCancel([], [sgd])).toMatch(
    /^No payment link of it is open\. 1 has expired and is cancelled too/,
  );
});
