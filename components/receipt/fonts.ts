import path from "node:path";
import { Font } from "@react-pdf/renderer";
import { projectRoot } from "@/db/embedded/project";

/** Inter as the dashboard has it: Latin, Vietnamese, Cyrillic and Greek, a file for each. Where one lacks a letter the next is asked. */
const families = [
  "latin",
  "latin-ext",
  "vietnamese",
  "cyrillic",
  "cyrillic-ext",
  "greek",
  "greek-ext",
].map((subset) => `inter-${subset}`);

export const receiptFamilies = families;
export const weights = { regular: 400, strong: 600 } as const;

const folder = path.join(projectRoot, "node_modules/@fontsource/inter/files");

for (const family of families) {
  Font.register({
    family,
    fonts: Object.values(weights).map((weight) => ({
      src: path.join(folder, `${family}-${weight}-normal.woff`),
      fontWeight: weight,
    })),
  });
}
// No hyphenation: a hyphen inside a reference would make it another reference.
Font.registerHyphenationCallback((word) => [word]);

type Covers = (letter: string) => boolean;
let covering: Promise<Covers> | undefined;

async function readFonts(): Promise<Covers> {
  const fonts = await Promise.all(
    families.map(async (fontFamily) => {
      const descriptor = { fontFamily, fontWeight: weights.regular };
      await Font.load(descriptor);
      return Font.getFont(descriptor).data;
    }),
  );
  return (letter) => fonts.some((font) => font?.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));
}

/** Gives what writes a text with "?" for every letter that the fonts cannot draw; they would draw another one. */
export async function writer(): Promise<(text: string) => string> {
  const covers = await (covering ??= readFonts());
  return (text) =>
    [...text.normalize("NFC")].map((letter) => (covers(letter) ? letter : "?")).join("");
}
