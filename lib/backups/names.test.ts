import { expect, test } from "vitest";
import { backupName, expired, momentIn } from "./names";

test("a name tells its moment, sorts by it, and no two tries share one", () => {
  const moment = "2026-11-25T02:00:07Z";
  const names = [backupName(moment), backupName(moment), backupName("2026-11-24T23:59:59Z")];
  expect(names.map(momentIn)).toEqual([moment, moment, "2026-11-24T23:59:59Z"]);
  expect(new Set(names).size).toBe(3);
  expect([...names].sort()[0]).toBe(names[2]);
});

test.each(["", "kutip.export", "kutip-2026-11-25T02-00-07Z-0a1b2c3d.export.part", "notes.txt"])(
  "%j is no backup",
  (name) => {
    expect(momentIn(name)).toBeUndefined();
  },
);

const day = (number: number) => backupName(`2026-11-0${number}T02:00:00Z`);

test("retention deletes the oldest, and nothing that is no backup", () => {
  const [one, two, three] = [day(1), day(2), day(3)];
  expect(expired([three, "notes.txt", one, two], 2, three)).toEqual([one]);
  expect(expired([one, two, three], 3, three)).toEqual([]);
});

test("retention never deletes the last good backup, also when others claim to be newer", () => {
  const good = day(1);
  expect(expired([good, day(8), day(9)], 1, good)).toHaveLength(1);
  expect(expired([good, day(8), day(9)], 1, good)).not.toContain(good);
});
