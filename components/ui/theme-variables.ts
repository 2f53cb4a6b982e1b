import { accentFor, type AccentShades } from "@/lib/kernel/accent";
import {
  dark,
  fontMono,
  fontSans,
  light,
  motion,
  type Palette,
  paletteVariables,
  radii,
  typeScale,
} from "@/lib/kernel/tokens";

const accent = accentFor(null);
const accentVariables = ({ fill, onFill, border, text }: AccentShades) =>
  `--fill:${fill};--on-fill:${onFill};--fill-edge:${border};--accent:${text}`;
const sizes = Object.entries(typeScale)
  .map(([name, size]) => `--size-${name}:${size}rem`)
  .join(";");
const corners = Object.entries(radii)
  .map(([name, size]) => `--corner-${name}:${size}px`)
  .join(";");

const theme = (palette: Palette, shades: AccentShades, scheme: string, extras: string) =>
  `color-scheme:${scheme};${paletteVariables(palette)};${accentVariables(shades)};${extras}`;
const lightExtras = "--shade:rgb(18 32 26/.12);--veil:rgb(18 32 26/.38);--hatch:rgb(115 75 0/.13)";
const darkExtras = "--shade:rgb(0 0 0/.5);--veil:rgb(0 0 0/.6);--hatch:rgb(240 198 116/.12)";

/** The tokens as custom properties for both themes; globals.css gives them their Tailwind names. */
export const themeVariables =
  `:root{${theme(light, accent.light, "light", lightExtras)};${sizes};${corners};--quick:${motion.quick}ms;--sans:${fontSans};--mono:${fontMono}}` +
  // Paper is light.
  `@media screen{:root.dark{${theme(dark, accent.dark, "dark", darkExtras)}}}`;
