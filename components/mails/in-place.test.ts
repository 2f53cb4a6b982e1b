import { expect, test } from "vitest";
import { inPlace } from "./in-place";

const mail = (_id: string, resent_from: string | null = null) => ({ _id, resent_from });
const ids = (mails: readonly { _id: string }[]) => mails.map(({ _id }) => _id);

test("a mail that is sent again moves no row above it, however often", () => {
  const before = [mail("receipt"), mail("reminder"), mail("request")];
  expect(ids(inPlace(before, []))).toEqual(["receipt", "reminder", "request"]);

  const once = [mail("again", "reminder"), ...before];
  expect(ids(inPlace(once, ["again"]))).toEqual(["receipt", "reminder", "again", "request"]);

  const twice = [mail("more", "reminder"), ...once];
  const both = ["receipt", "reminder", "more", "again", "request"];
  expect(ids(inPlace(twice, ["again", "more"]))).toEqual(both);

  const nested = [mail("more", "again"), ...once];
  expect(ids(inPlace(nested, ["again", "more"]))).toEqual([
    "receipt",
    "reminder",
    "again",
    "more",
    "request",
  ]);
});

test("mails that were sent again elsewhere, or whose first mail is not shown, are in the order of time", () => {
  const rows = [mail("newest", "gone"), mail("again", "request"), mail("other"), mail("request")];
  expect(ids(inPlace(rows, []))).toEqual(ids(rows));
  expect(ids(inPlace(rows, ["newest"]))).toEqual(ids(rows));
});
