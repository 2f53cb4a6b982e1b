import { expect, test } from "vitest";
import * as businessRoute from "@/app/api/business/route";
import * as overviewRoute from "@/app/api/overview/route";
import * as secretRoute from "@/app/api/business/signing-secret/route";
import * as rollRoute from "@/app/api/business/signing-secret/roll/route";
import { db } from "@/db/client";
import { zoneChoices } from "@/lib/client/zone-choices";
import type { SigningSecret } from "@/lib/contract/business";
import { agreedZones } from "@/lib/domain/businesses/zone-rows";
import { dataOf } from "./office";
import { as, call, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;
const put = (staff: Staff, body: unknown) =>
  call(businessRoute.PUT, "/business", { method: "PUT", headers: as(staff), body });
const input = { name: "Tide & Co", time_zone: "Asia/Kuala_Lumpur", default_currency: "MYR" };

test("the business is changed as a whole: what is left out becomes null", async () => {
  const staff = await someStaff();
  const full = {
    ...input,
    accent: "#0F766E",
    support_email: "help@tide.example",
    support_phone: "+60 12",
  };
  expect(await dataOf(put(staff, full))).toMatchObject({
    ...full,
    accent: "#0f766e",
    business_id: staff.businessId,
    live_gateway: false,
  });
  await dataOf(put(staff, input));
  expect(await dataOf(call(businessRoute.GET, "/business", { headers: as(staff) }))).toMatchObject({
    ...input,
    accent: null,
    support_email: null,
    support_phone: null,
  });
});

test.each([
  ["time_zone", "Mars/Olympus", "The selected time zone is invalid."],
  ["time_zone", "+08:00", "The selected time zone is invalid."],
  // Node and browsers know these. Postgres does not, or reads another zone.
  ["time_zone", "AET", "The selected time zone is invalid."],
  ["time_zone", "SystemV/AST4", "The selected time zone is invalid."],
  ["time_zone", "IST", "The selected time zone is invalid."],
  ["time_zone", "CET", "The selected time zone is invalid."],
  ["default_currency", "XXX", "The selected default currency is invalid."],
  ["accent", "teal", "The accent format is invalid."],
  ["support_email", "nobody", "The support email must be a valid email address."],
  ["name", "n".repeat(101), "The name must not be greater than 100 characters."],
])("a %s of %s is a 422", async (field, value, text) => {
  const answer = await put(await someStaff(), { ...input, [field]: value });
  expect([answer.status, await answer.json()]).toEqual([
    422,
    { message: "The given data was invalid.", errors: { [field]: [text] } },
  ]);
});

test("a refused time zone is named with all else that is wrong", async () => {
  const answer = await put(await someStaff(), { ...input, time_zone: "AET", accent: "teal" });
  const { errors } = (await answer.json()) as { errors: object };
  expect(Object.keys(errors).sort()).toEqual(["accent", "time_zone"]);
});

test.each(["Asia/Calcutta", "Asia/Kolkata", "america/buenos_aires", "Etc/GMT+5", "EST5EDT", "UTC"])(
  "the time zone %s is taken, and the overview counts its days",
  async (zone) => {
    const staff = await someStaff();
    await dataOf(put(staff, { ...input, time_zone: zone }));
    const overview = await dataOf(call(overviewRoute.GET, "/overview", { headers: as(staff) }));
    expect(overview.time_zone).toBe(zone);
  },
);

test("every time zone that the settings offer is taken", async () => {
  const offered = zoneChoices("UTC").map(({ value }) => value);
  const agreed = await agreedZones(db, offered);
  expect(offered.length).toBeGreaterThan(400);
  expect(offered.filter((zone) => !agreed.has(zone.toLowerCase()))).toEqual([]);
});

test("each mode has a signing secret of its own, and a roll changes only that one", async () => {
  const staff = await someStaff();
  const show = async (mode: "test" | "live") =>
    dataOf<SigningSecret>(
      call(secretRoute.GET, "/business/signing-secret", { headers: as(staff, mode) }),
    );
  const before = { test: await show("test"), live: await show("live") };
  expect(before.test.secret).not.toBe(before.live.secret);
  const rolled = await dataOf<SigningSecret>(
    call(rollRoute.POST, "/business/signing-secret/roll", { method: "POST", headers: as(staff) }),
  );
  expect(rolled.mode).toBe("test");
  expect(await show("test")).toEqual(rolled);
  expect(rolled.secret).not.toBe(before.test.secret);
  expect(await show("live")).toEqual(before.live);
});
