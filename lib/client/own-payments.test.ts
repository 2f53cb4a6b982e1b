import { expect, test } from "vitest";
import { isOwnPayment, trackOwn } from "./own-payments";

test("a payment of a call under way is known to be the page's own before its answer has come", async () => {
  let answer: (data: { _id: string }) => void = () => undefined;
  const call = trackOwn(
    new Promise<{ _id: string }>((resolve) => {
      answer = resolve;
    }),
  );
  const [own, other] = [isOwnPayment("a"), isOwnPayment("b")];
  answer({ _id: "a" });
  expect(await Promise.all([own, other])).toEqual([true, false]);
  expect(await call).toEqual({ _id: "a" });
});

test("a call that fails makes no payment and holds nothing up", async () => {
  await expect(trackOwn(Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(await isOwnPayment("c")).toBe(false);
});
