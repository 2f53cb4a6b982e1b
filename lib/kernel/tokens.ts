/** The design tokens: the one place where colours, sizes and distances are decided, for payer pages, mails, dashboard and PDF. */

export type Palette = {
  /** What the sheets lie on. */
  page: string;
  surface: string;
  sunken: string;
  ink: string;
  muted: string;
  /** Hairlines that only decorate. */
  line: string;
  /** Borders that a control is recognised by: at least 3:1 on every ground. */
  edge: string;
  good: string;
  goodSoft: string;
  warn: string;
  warnSoft: string;
  bad: string;
  badSoft: string;
};

export const light: Palette = {
  page: "#edf0ec",
  surface: "#ffffff",
  sunken: "#f5f7f4",
  ink: "#12201a",
  muted: "#54615a",
  line: "#dce2dd",
  edge: "#75827b",
  good: "#0a6b4b",
  goodSoft: "#e3f3ea",
  warn: "#734b00",
  warnSoft: "#fcefcf",
  bad: "#a3251c",
  badSoft: "#fcebe8",
};

export const dark: Palette = {
  page: "#0b110f",
  surface: "#161f1b",
  sunken: "#101815",
  ink: "#ebf1ee",
  muted: "#a0b0a8",
  line: "#2a3731",
  edge: "#718078",
  good: "#68d6a8",
  goodSoft: "#12322a",
  warn: "#f0c674",
  warnSoft: "#352b12",
  bad: "#ff9d92",
  badSoft: "#3b1d1a",
};

export const defaultAccent = "#0b6e50";

/** Text on a light fill; white is its counterpart on dark fills. */
export const darkInk = "#0b110f";

/** Of payer pages: the device's own font, nothing to download. */
export const fontSystem = `system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif`;
/** The dashboard brings Inter along; mails and the reference use it where the device has it. */
export const fontSans = `Inter,${fontSystem}`;
export const fontMono = `ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace`;

/** Font sizes in rem. The hero is the one amount on a page and shrinks with its length. */
export const typeScale = {
  fine: 0.8125,
  small: 0.875,
  note: 0.9375,
  body: 1,
  lead: 1.0625,
  title: 1.25,
  heading: 1.625,
  hero: 3.75,
} as const;

/** Distances in rem, named by quarters of one. */
export const spacing = {
  1: 0.25,
  2: 0.5,
  3: 0.75,
  4: 1,
  5: 1.25,
  6: 1.5,
  8: 2,
  11: 2.75,
  12: 3,
} as const;

/** Pixels. */
export const radii = { control: 10, card: 14, sheet: 22 } as const;

/** Milliseconds; none at all where reduced motion is asked for. */
export const motion = { quick: 120 } as const;

/** Custom properties of one palette, without a selector: `--page:#…;--surface:#…`. */
export function paletteVariables(palette: Palette): string {
  return Object.entries(palette)
    .map(
      ([name, value]) =>
        `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`,
    )
    .join(";");
}
