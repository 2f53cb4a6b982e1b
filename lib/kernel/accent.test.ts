import fc from "fast-check";
import { expect, test } from "vitest";
import { accentFor, contrast } from "./accent";
import { dark, defaultAccent, light, type Palette } from "./tokens";

const anyHex = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);
const grounds = (palette: Palette) => [palette.page, palette.surface, palette.sunken];

test("any accent a business picks is readable in both themes, as text and under its button's label", () => {
  fc.assert(
    fc.property(anyHex, (hex) => {
      const accent = accentFor(hex);
      for (const [palette, shades] of [
        [light, accent.light],
        [dark, accent.dark],
      ] as const) {
        for (const ground of grounds(palette)) {
          expect(contrast(shades.text, ground)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(shades.border, ground)).toBeGreaterThanOrEqual(3);
        }
        expect(contrast(shades.onFill, shades.fill)).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("an accent that is readable already stays as the business picked it", () => {
  expect(accentFor("#7c3aed").light).toEqual({
    fill: "#7c3aed",
    onFill: "#ffffff",
    border: "#7c3aed",
    text: "#7c3aed",
  });
});

test("a bright brand colour keeps its button and gets dark letters on it", () => {
  const { fill, onFill } = accentFor("#ffd400").light;
  expect(fill).toBe("#ffd400");
  expect(contrast(onFill, fill)).toBeGreaterThan(10);
});

test("short hex counts, anything that is no colour gives the default", () => {
  expect(accentFor("#0a5")).toEqual(accentFor("#00aa55"));
  for (const odd of [null, undefined, "", "red", "#12345", "#000;}body{display:none}"])
    expect(accentFor(odd)).toEqual(accentFor(defaultAccent));
});

test("contrast is the ratio of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
  expect(contrast("#123456", "#123456")).toBe(1);
});

test.each([
  ["light", light],
  ["dark", dark],
])("every text colour of the %s palette reads on every ground it is used on", (_, palette) => {
  for (const ground of grounds(palette)) {
    for (const text of [palette.ink, palette.muted, palette.good, palette.warn, palette.bad])
      expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.edge, ground)).toBeGreaterThanOrEqual(3);
  }
  for (const [text, soft] of [
    [palette.good, palette.goodSoft],
    [palette.warn, palette.warnSoft],
    [palette.bad, palette.badSoft],
  ] as const) {
    expect(contrast(text, soft)).toBeGreaterThanOrEqual(4.5);
  }
});
