import { inflateSync } from "node:zlib";

/** The text of a PDF that Kutip made, a line for each run. Glyphs become text through the tables that the embedded fonts hold for copying. */
export function pdfText(pdf: Buffer): string {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, Map<string, string>>();
  for (const { head } of objects.values()) {
    for (const [, list = ""] of head.matchAll(/\/Font <<([^>]*)>>/g)) {
      for (const [, name = "", id = ""] of list.matchAll(/\/(\S+) (\d+) 0 R/g))
        fonts.set(name, lettersOf(objects, objects.get(id)?.head ?? ""));
    }
  }
  let text = "";
  for (const { head, content } of objects.values()) {
    if (/\/(Type|Subtype|Length1|FunctionType)\b/.test(head)) continue;
    let letters: Map<string, string> | undefined;
    for (const [, font, shown] of content.matchAll(/\/(\S+) [\d.]+ Tf|(\[[^\]]*\]) TJ/g)) {
      if (font) letters = fonts.get(font);
      else
        text += `${[...(shown ?? "").matchAll(/<([0-9a-f]*)>/g)].map(([, hex = ""]) => (hex.match(/.{4}/g) ?? []).map((glyph) => letters?.get(glyph) ?? "").join("")).join("")}\n`;
    }
  }
  return text;
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
