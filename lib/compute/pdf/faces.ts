import { readFile } from "node:fs/promises";
import path from "node:path";
import { create, type Font } from "fontkit";
import subsetFont from "subset-font";
import { projectRoot } from "@/db/embedded/project";

export type Weight = 400 | 600;
/** A font that is loaded, in one weight. Its name is unique among all faces. */
export type Face = { name: string; font: Font };
type Range = { from: number; to: number; subset: string };
type Family = { id: string; variable: boolean; ranges: Promise<Range[]> };

const FACES = 200;
const BOX = "\u25A1";
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/u;
const latin = [
  "latin",
  "latin-ext",
  "vietnamese",
  "cyrillic",
  "cyrillic-ext",
  "greek",
  "greek-ext",
];
const scripts = [
  ...["arabic", "hebrew", "thai", "tamil", "devanagari", "bengali", "gujarati", "gurmukhi"],
  ...["oriya", "telugu", "kannada", "malayalam", "sinhala", "khmer", "lao", "myanmar"],
  ...["georgian", "armenian", "ethiopic", "thaana"],
];
const [inter, simplified, japanese, korean, ...others] = [
  "inter",
  ...["sc", "jp", "kr", ...scripts].map((script) => `noto-sans-${script}`),
  "noto-emoji",
].map(family) as [Family, Family, Family, Family, ...Family[]];

function family(id: string): Family {
  const variable = id !== "inter";
  let ranges: Promise<Range[]> | undefined;
  return {
    id,
    variable,
    get ranges() {
      return (ranges ??= readRanges(id, variable));
    },
  };
}

const folderOf = (id: string, variable: boolean) =>
  path.join(projectRoot, "node_modules", `@fontsource${variable ? "-variable" : ""}`, id);

/** Which file of a family has which letters. Letters of Inter are never taken from another family. */
async function readRanges(id: string, variable: boolean): Promise<Range[]> {
  const file = path.join(folderOf(id, variable), "unicode.json");
  const subsets = Object.entries<string>(JSON.parse(await readFile(file, "utf8")));
  return subsets
    .filter(([subset]) => !variable || !latin.includes(subset))
    .flatMap(([subset, list]) =>
      list.split(",").map((range) => {
        const [from = "", to = from] = range.replace("U+", "").split("-");
        return {
          from: Number.parseInt(from, 16),
          to: Number.parseInt(to, 16),
          subset: subset.replace(/[[\]]/g, ""),
        };
      }),
    );
}

const loaded = new Map<string, Promise<Face>>();

/** Reads a font once for as long as it is among the last used. */
function load({ id, variable }: Family, subset: string, weight: Weight): Promise<Face> {
  const name = `${id}-${subset}-${weight}`;
  const face = loaded.get(name) ?? read();
  loaded.delete(name);
  loaded.set(name, face);
  const oldest = loaded.keys().next().value;
  if (loaded.size > FACES && oldest) loaded.delete(oldest);
  return face;

  async function read(): Promise<Face> {
    const file = variable
      ? `${id}-${subset}-wght-normal.woff2`
      : `${id}-${subset}-${weight}-normal.woff`;
    const bytes = await readFile(path.join(folderOf(id, variable), "files", file));
    const font = opened(variable ? await instance(bytes, weight) : bytes);
    // Two weights of one file have the same name, and pdfkit would take one for the other.
    Object.defineProperty(font, "postscriptName", { value: name });
    keepShaped(font, variable ? {} : withoutAlternates);
    return { name, font };
  }
}

/** One weight of a variable font, as a font that can be embedded. */
function instance(bytes: Buffer, wght: Weight): Promise<Buffer> {
  const options = {
    targetFormat: "truetype",
    variationAxes: { wght },
    keepAllGlyphs: true,
  } as const;
  return subsetFont(bytes, "", options);
}

/** Inter's alternates serve arrows and the like; looking for them takes most of the time. */
const withoutAlternates = { calt: false };
const MAX_SHAPED = 2_000;

/** Makes a font shape each text once for measuring and drawing. pdfkit scales the positions that it gets, so each caller gets its own. */
function keepShaped(font: Font, features: Record<string, boolean>): void {
  const shape = font.layout.bind(font);
  const shaped = new Map<string, ReturnType<Font["layout"]>>();
  font.layout = (text) => {
    let run = shaped.get(text);
    if (!run) {
      run = shapedBy(shape, text, features);
      if (shaped.size >= MAX_SHAPED) shaped.clear();
      shaped.set(text, run);
    }
    const positions = run.positions.map((position) => ({ ...position }));
    return Object.assign(Object.create(run) as typeof run, { positions });
  };
}

/** fontkit fails at a mark without an anchor, and the fonts of Malayalam and Gurmukhi have some. Marks keep the place that their width gives them. */
const withoutAnchors = { mark: false, mkmk: false, abvm: false, blwm: false };

function shapedBy(shape: Font["layout"], text: string, features: Record<string, boolean>) {
  try {
    return shape(text, features);
  } catch {
    return shape(text, { ...features, ...withoutAnchors });
  }
}

function opened(bytes: Buffer): Font {
  const font = create(bytes);
  if ("fonts" in font) throw new Error("a file of one font was expected");
  return font;
}

/** The families to ask, first to last. Japanese, Chinese and Korean write some letters differently: the other letters of the text decide. */
function familiesFor(text: string): Family[] {
  const han = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? [japanese, simplified, korean]
    : /\p{Script=Hangul}/u.test(text)
      ? [korean, simplified, japanese]
      : [simplified, japanese, korean];
  return [inter, ...others, ...han];
}

/** A part of a text that one face draws. `drawn` is "" for what leaves no ink. */
export type Piece = { text: string; drawn: string; face: Face };

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Splits a text into graphemes, each with a face that has it. A combined one that no font has is drawn by its first letter, any other as a box. */
export async function pieces(text: string, weight: Weight): Promise<Piece[]> {
  const families = familiesFor(text);
  const found: Piece[] = [];
  for (const { segment } of graphemes.segment(text)) {
    const whole = inDrawnOrder(segment.normalize("NFC"));
    const visible = [...whole.replace(/\s/u, " ")].filter((letter) => !IGNORED.test(letter));
    const [first] = visible;
    found.push(
      (await pieceOf(segment, whole)) ??
        (await pieceOf(segment, visible.join(""))) ??
        (await pieceOf(segment, first ?? "")) ??
        (await box(segment)),
    );
  }
  return found;

  async function pieceOf(whole: string, drawn: string): Promise<Piece | undefined> {
    const needed = [...drawn].filter((letter) => !IGNORED.test(letter)).map(codeOf);
    const [first] = needed;
    if (first === undefined) return undefined;
    for (const family of families) {
      const ranges = await family.ranges;
      const subsets = ranges.filter(({ from, to }) => from <= first && first <= to);
      for (const subset of new Set(subsets.map((range) => range.subset))) {
        const face = await load(family, subset, weight);
        if (needed.every((code) => face.font.hasGlyphForCodePoint(code)))
          return { text: whole, drawn, face };
      }
    }
    return undefined;
  }

  async function box(segment: string): Promise<Piece> {
    const drawn = IGNORED.test(segment) ? "" : BOX;
    const boxed = drawn === "" ? undefined : await pieceOf(segment, drawn);
    return boxed ?? { text: segment, drawn: "", face: await load(inter, "latin", weight) };
  }
}

/**
 * A grapheme in the order in which its font draws it, where fontkit does not see to that. Thai sara am is two signs, with tone marks
 * above the first. Two signs of Burmese come before their consonant.
 */
const inDrawnOrder = (grapheme: string) =>
  grapheme
    .replace(/([\u0E48-\u0E4B]*)\u0E33/u, "\u0E4D$1\u0E32")
    .replace(/^(\p{Lo}(?:\u1039\p{Lo})*\u103B?)\u103C/u, "\u103C$1")
    .replace(/^([\p{Lo}\u1039\u103B-\u103E]+)\u1031/u, "\u1031$1");

const codeOf = (letter: string) => letter.codePointAt(0) ?? 0;
