import { expect, test } from "vitest";
import { drawn } from "@/tests/drawn";
import { FilterSelect } from "./filter-bar";

const shown = (value: string) => {
  const html = drawn(
    <FilterSelect
      label="Package"
      value={value}
      onChange={() => undefined}
      options={[{ value: "gold", label: "Gold" }]}
    />,
    [],
  );
  return /<option [^>]*selected=""[^>]*>(.*?)<\/option>/
    .exec(html)?.[1]
    ?.replaceAll("<!-- -->", "");
};

test("a filter is shown as set where its value is none of the choices, such as a deleted package", () => {
  expect(shown("")).toBe("Package: any");
  expect(shown("gold")).toBe("Gold");
  expect(shown("deleted")).toBe("Package: not listed");
});
