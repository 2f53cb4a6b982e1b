import { inflateSync } from "node:zlib";

/** A line of a PDF that Kutip made: its text, as it is copied, and the letters of its glyphs from left to right. A glyph that its font lacks is "\0". */
type DrawnLine = { text: string; glyphs: string };

/** The text of a PDF that Kutip made, a line for each that was drawn. */
export const pdfText = (pdf: Buffer): string =>
  pdfLines(pdf)
    .map(({ text }) => `${text}\n`)
    .join("");

/** The lines of a PDF that Kutip made. Glyphs become letters through the tables that the embedded fonts hold. */
export function pdfLines(pdf: Buffer): DrawnLine[] {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, Map<string, string>>();
  for (const { head } of objects.values()) {
    for (const [, list = ""] of head.matchAll(/\/Font <<([^>]*)>>/g)) {
      for (const [, name = "", id = ""] of list.matchAll(/\/(\S+) (\d+) 0 R/g))
        fonts.set(name, lettersOf(objects, objects.get(id)?.head ?? ""));
    }
  }
  const lines: DrawnLine[] = [];
  for (const { head, content } of objects.values()) {
    if (/\/(Type|Subtype|Length1|FunctionType)\b/.test(head)) continue;
    let letters: Map<string, string> | undefined;
    for (const [, text, font, shown = ""] of content.matchAll(
      /\/ActualText \(((?:\\.|[^\\)])*)\)\s*>> BDC|\/(\S+) [\d.]+ Tf|(\[[^\]]*\]) TJ/gs,
    )) {
      const line = lines.at(-1);
      if (text !== undefined) lines.push({ text: written(text), glyphs: "" });
      else if (font) letters = fonts.get(font);
      else if (line) line.glyphs += glyphsOf(shown, letters);
    }
  }
  return lines;
}

const glyphsOf = (shown: string, letters: Map<string, string> | undefined) =>
  [...shown.matchAll(/<([0-9a-f]*)>/g)]
    .flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? [])
    .map((glyph) => (glyph === "0000" ? "\0" : (letters?.get(glyph) ?? "")))
    .join("");

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** A string of a PDF: UTF-16 after its mark, else Latin letters. */
function written(text: string): string {
  const bytes = Buffer.from(
    text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter),
    "latin1",
  );
  return bytes[0] === 0xfe && bytes[1] === 0xff
    ? bytes.subarray(2).swap16().toString("utf16le")
    : bytes.toString("latin1");
}

type Part = { head: string; content: string };

function objectsOf(pdf: Buffer): Map<string, Part> {
  const objects = new Map<string, Part>();
  const all = pdf.toString("latin1");
  for (const { 1: id = "", index } of all.matchAll(/^(\d+) 0 obj$/gm)) {
    const end = all.indexOf("\nendobj", index);
    const at = all.indexOf("\nstream\n", index);
    const streamed = at >= 0 && at < end;
    objects.set(id, {
      head: all.slice(index, streamed ? at : end),
      content: streamed ? inflated(pdf.subarray(at + 8, all.indexOf("\nendstream", at))) : "",
    });
  }
  return objects;
}

function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes).toString("latin1");
  } catch {
    return "";
  }
}

/** From a glyph's number to its letters, both as the font's ToUnicode table has them. */
function lettersOf(objects: Map<string, Part>, font: string): Map<string, string> {
  const table = objects.get(/\/ToUnicode (\d+) 0 R/.exec(font)?.[1] ?? "")?.content ?? "";
  const letters = new Map<string, string>();
  for (const [, from = "", list = ""] of table.matchAll(
    /<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g,
  )) {
    [...list.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, code = ""], index) => {
      letters.set(
        (Number.parseInt(from, 16) + index).toString(16).padStart(4, "0"),
        Buffer.from(code.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
      );
    });
  }
  return letters;
}
