import { dark, darkInk, defaultAccent, light, type Palette } from "./tokens";

/** One theme's shades. On page, surface and sunken `text` has 4.5:1 or more and `border` 3:1; `onFill` has 4.5:1 on `fill`. */
export type AccentShades = { fill: string; onFill: string; border: string; text: string };
export type Accent = { light: AccentShades; dark: AccentShades };

type Rgb = readonly [number, number, number];

const HEX = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;
const READABLE = 4.5;
/** Light text on dark looks thinner than its ratio: asked for more than the least. */
const READABLE_ON_DARK = 6;
const VISIBLE = 3;

function parseHex(hex: string): Rgb {
  const digits = HEX.exec(hex.trim())?.[1];
  if (digits === undefined) return parseHex(defaultAccent);
  const six = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const value = Number.parseInt(six, 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function formatHex(rgb: Rgb): string {
  return `#${rgb
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

const toLinear = (part: number) =>
  part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const fromLinear = (part: number) =>
  part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;

function luminance(hex: string): number {
  const [red, green, blue] = parseHex(hex).map(toLinear) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG contrast ratio of two hex colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lower = 0, upper = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (upper + 0.05) / (lower + 0.05);
}

type Oklch = { lightness: number; chroma: number; hue: number };

function toOklch(hex: string): Oklch {
  const [red, green, blue] = parseHex(hex).map(toLinear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

function toLinearRgb({ lightness, chroma, hue }: Oklch): Rgb {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Reduces chroma before hue or lightness when a shade is outside what screens can show. */
function fromOklch(shade: Oklch): string {
  for (let chroma = shade.chroma; chroma > 0.001; chroma *= 0.92) {
    const linear = toLinearRgb({ ...shade, chroma });
    if (linear.every((part) => part >= -0.0005 && part <= 1.0005))
      return formatHex(linear.map(fromLinear) as unknown as Rgb);
  }
  const grey = fromLinear(shade.lightness ** 3);
  return formatHex([grey, grey, grey]);
}

/** Moves a colour's lightness, and nothing else where it can be helped, until `enough` says so or black or white is reached. */
function moveUntil(
  hex: string,
  towards: "black" | "white",
  enough: (candidate: string) => boolean,
): string {
  const start = toOklch(hex);
  const step = towards === "black" ? -0.01 : 0.01;
  let candidate = hex;
  for (
    let lightness = start.lightness;
    !enough(candidate) && lightness > 0 && lightness < 1;
    lightness += step
  ) {
    candidate = fromOklch({ ...start, lightness });
  }
  return enough(candidate) ? candidate : towards === "black" ? "#000000" : "#ffffff";
}

function shadesOn(hex: string, palette: Palette, away: "black" | "white"): AccentShades {
  const grounds = [palette.page, palette.surface, palette.sunken];
  const text = moveUntil(hex, away, (candidate) =>
    grounds.every(
      (ground) => contrast(candidate, ground) >= (away === "white" ? READABLE_ON_DARK : READABLE),
    ),
  );
  const onFill =
    contrast(hex, "#ffffff") >= READABLE || contrast(hex, darkInk) < READABLE ? "#ffffff" : darkInk;
  const fill =
    onFill === darkInk
      ? hex
      : moveUntil(hex, "black", (candidate) => contrast(candidate, onFill) >= READABLE);
  const border = grounds.every((ground) => contrast(fill, ground) >= VISIBLE) ? fill : text;
  return { fill, onFill, border, text };
}

const MOST_KNOWN = 1_000;
const known = new Map<string, Accent>();

/** A business's accent made readable in both themes. Takes `#rgb` or `#rrggbb`; anything else counts as the default accent. */
export function accentFor(hex: string | null | undefined): Accent {
  const own = formatHex(parseHex(hex ?? defaultAccent));
  const before = known.get(own);
  if (before) return before;
  const accent = { light: shadesOn(own, light, "black"), dark: shadesOn(own, dark, "white") };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(own, accent);
  return accent;
}
