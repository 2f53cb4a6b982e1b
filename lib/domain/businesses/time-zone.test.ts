import { expect, test } from "vitest";
import type { Executor } from "@/db/client";
import { settledZone } from "./time-zone";

/** A server that has these zones, with their minutes ahead of UTC in January and July. */
const serverWith = (zones: Record<string, [number, number]>) =>
  ({
    execute: async () => ({
      rows: Object.entries(zones).map(([name, minutes]) => ({ name: name.toLowerCase(), minutes })),
    }),
  }) as unknown as Executor;

test.each([
  ["Asia/Calcutta", "Asia/Kolkata", [330, 330]],
  ["asia/calcutta", "Asia/Kolkata", [330, 330]],
  ["Asia/Saigon", "Asia/Ho_Chi_Minh", [420, 420]],
  ["Europe/Kiev", "Europe/Kyiv", [120, 180]],
  ["America/Buenos_Aires", "America/Argentina/Buenos_Aires", [-180, -180]],
  ["America/Indianapolis", "America/Indiana/Indianapolis", [-300, -240]],
  ["Europe/Kyiv", "Europe/Kiev", [120, 180]],
] as const)(
  "%s is kept as %s where the server has no other name of it",
  async (given, kept, [january, july]) => {
    expect(await settledZone(serverWith({ [kept]: [january, july] }), given)).toBe(kept);
  },
);

test("a name that the server has stays as it is given", async () => {
  const server = serverWith({ "Asia/Calcutta": [330, 330], "Asia/Kolkata": [330, 330] });
  expect(await settledZone(server, "Asia/Calcutta")).toBe("Asia/Calcutta");
});

test.each([
  ["AET", {}],
  ["CET", { CET: [60, 60] }],
  ["Asia/Calcutta", { "Asia/Calcutta": [120, 120] }],
] as const)(
  "%s is refused where the server has no such zone, or another one by that name",
  async (given, zones) => {
    await expect(
      settledZone(serverWith(zones as unknown as Record<string, [number, number]>), given),
    ).rejects.toMatchObject({
      status: 422,
      options: { errors: { time_zone: ["The selected time zone is invalid."] } },
    });
  },
);
