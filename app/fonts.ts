import localFont from "next/font/local";

/** Inter, from the package and served by us; the fallback is fitted to it so that nothing moves when it arrives. */
export const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  display: "swap",
  variable: "--font-inter",
  preload: true,
  adjustFontFallback: "Arial",
});
