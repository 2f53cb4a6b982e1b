import { expect, test } from "vitest";
import { backupName, expired, installIn, momentIn, ownIn } from "./names";

const OURS = "0a1b2c3d";
const THEIRS = "4e5f6071";

test("a name tells its moment and its install, sorts by the moment, and no two tries share one", () => {
  const moment = "2026-11-25T02:00:07Z";
  const names = [moment, moment, "2026-11-24T23:59:59Z"].map((one) => backupName(one, OURS));
  expect(names.map(momentIn)).toEqual([moment, moment, "2026-11-24T23:59:59Z"]);
  expect(names.map(installIn)).toEqual([OURS, OURS, OURS]);
  expect(new Set(names).size).toBe(3);
  expect([...names].sort()[0]).toBe(names[2]);
});

test("a name of an older version has its moment and no install", () => {
  const name = "kutip-2026-11-25T02-00-07Z-0a1b2c3d.export";
  expect([momentIn(name), installIn(name)]).toEqual(["2026-11-25T02:00:07Z", undefined]);
});

test.each(["", "kutip.export", "kutip-2026-11-25T02-00-07Z-0a1b2c3d.export.part", "notes.txt"])(
  "%j is no backup",
  (name) => {
    expect(momentIn(name)).toBeUndefined();
    expect(ownIn([name], OURS)(name)).toBe(false);
  },
);

const day = (number: number, install = OURS) => backupName(`2026-11-0${number}T02:00:00Z`, install);
const older = (number: number) => `kutip-2026-10-0${number}T02-00-00Z-00000000.export`;

test("retention deletes the oldest, and nothing that is no backup", () => {
  const [one, two, three] = [day(1), day(2), day(3)];
  expect(expired([three, "notes.txt", one, two], 2, three, OURS)).toEqual([one]);
  expect(expired([one, two, three], 3, three, OURS)).toEqual([]);
});

test("of backups of one second retention keeps the one that was just made", () => {
  const [first, second] = [day(1), day(1)];
  expect(expired([first, second], 1, second, OURS)).toEqual([first]);
  expect(expired([first, second], 1, first, OURS)).toEqual([second]);
});

test("retention never deletes the last good backup, also when others claim to be newer", () => {
  const good = day(1);
  expect(expired([good, day(8), day(9)], 1, good, OURS)).toHaveLength(1);
  expect(expired([good, day(8), day(9)], 1, good, OURS)).not.toContain(good);
});

test("retention counts and deletes only backups of this install", () => {
  const [one, two] = [day(1), day(9)];
  const theirs = [2, 3, 4].map((number) => day(number, THEIRS));
  expect(expired([one, ...theirs, two], 2, two, OURS)).toEqual([]);
  expect(expired([one, ...theirs, two], 1, two, OURS)).toEqual([one]);
});

test("backups of an older version are this install's own until another install has one beside them", () => {
  const [one, two] = [older(1), day(2)];
  expect(expired([one, two], 1, two, OURS)).toEqual([one]);
  expect(expired([one, two, day(3, THEIRS)], 1, two, OURS)).toEqual([]);
});
