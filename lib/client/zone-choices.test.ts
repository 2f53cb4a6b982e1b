import { afterEach, expect, test, vi } from "vitest";
import { zoneChoices } from "./zone-choices";

afterEach(() => {
  vi.restoreAllMocks();
});

test("zones are by city, with the business's own", () => {
  const choices = zoneChoices("Asia/Kuala_Lumpur");
  const labels = choices.map(({ label }) => label);
  expect(labels).toContain("Kuala Lumpur (GMT+8), Asia");
  expect(labels).toContain("UTC");
  const values = choices.map(({ value }) => value);
  expect(values.indexOf("Africa/Abidjan")).toBeLessThan(values.indexOf("Europe/Zurich"));
  expect(new Set(values).size).toBe(choices.length);
  expect(
    zoneChoices("Antarctica/Troll").filter(({ value }) => value === "Antarctica/Troll"),
  ).toHaveLength(1);
});

test("names without a place, which some browsers list, are not offered", () => {
  vi.spyOn(Intl, "supportedValuesOf").mockReturnValue(["Africa/Abidjan", "CET", "EST5EDT", "WET"]);
  const offered = zoneChoices("Africa/Accra").map(({ value }) => value);
  expect(offered).toEqual(["Africa/Abidjan", "Africa/Accra", "UTC"]);
});

test("no difference is worked out until a label is shown", () => {
  const formats = vi.spyOn(Intl, "DateTimeFormat");
  const chosen = zoneChoices("Asia/Tokyo").find(({ value }) => value === "Asia/Tokyo");
  expect(formats).not.toHaveBeenCalled();
  expect(chosen?.label).toBe("Tokyo (GMT+9), Asia");
  expect(formats).toHaveBeenCalledOnce();
});
