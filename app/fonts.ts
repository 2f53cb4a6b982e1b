import localFont from "next/font/local";

/** Inter, from the package and served by us. Where it comes late, a page keeps its fallback, so that no line moves; the next page has it from the cache. */
export const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  display: "optional",
  variable: "--font-inter",
  preload: true,
  adjustFontFallback: "Arial",
});
