import bidiFactory from "bidi-js";
import { type Face, type Piece, pieces, type Weight } from "./faces";

export type Style = { size: number; weight: Weight; color: string };
/** A part of a line, to be drawn in one face from `x` on. */
export type Run = { text: string; face: Face; x: number };
export type Line = { text: string; runs: Run[]; width: number };
export type Paragraph = { lines: Line[]; style: Style; width: number; height: number };

const LINE_HEIGHT = 1.4;
const bidi = bidiFactory();
const words = new Intl.Segmenter("en", { granularity: "word" });
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

type Placed = Piece & { level: number; width: number; chunk: number };

/** Breaks a text into lines of at most `width` points, each with its runs from left to right. */
export async function paragraph(text: string, style: Style, width: number): Promise<Paragraph> {
  const placed = await place(text, style);
  const lines = breakLines(placed, width, style.size).map((line) => lineOf(line, style));
  const widest = Math.max(0, ...lines.map((line) => line.width));
  if (placed[0] && (baseLevel(text) & 1) === 1)
    for (const line of lines) for (const run of line.runs) run.x += widest - line.width;
  return { lines, style, width: widest, height: lines.length * style.size * LINE_HEIGHT };
}

const baseLevel = (text: string) => bidi.getEmbeddingLevels(text).paragraphs[0]?.level ?? 0;

async function place(text: string, style: Style): Promise<Placed[]> {
  const { levels } = bidi.getEmbeddingLevels(text.replace(/\s/gu, " "));
  const starts = chunkStarts(text);
  let at = 0;
  let chunk = 0;
  return (await pieces(text, style.weight)).map((piece) => {
    if (starts.has(at)) chunk += 1;
    const level = levels[at] ?? 0;
    at += piece.text.length;
    return { ...piece, level, chunk, width: widthOf(piece.face, piece.drawn, style.size) };
  });
}

/** Where a line may begin: after a space or a hyphen, and between words of scripts that put no space between them. */
function chunkStarts(text: string): Set<number> {
  const starts = new Set<number>();
  let before: { segment: string; isWordLike?: boolean } | undefined;
  for (const part of words.segment(text)) {
    if (before && mayBreak(before, part)) starts.add(part.index);
    before = part;
  }
  return starts;
}

type Word = { segment: string; isWordLike?: boolean };
const closes = /^[\p{Pe}\p{Pf}\p{Po}\p{Lm}\s]/u;
const opens = /[\p{Ps}\p{Pi}]$/u;

function mayBreak(before: Word, after: Word): boolean {
  if (/\s$/u.test(before.segment)) return !/^\s/u.test(after.segment);
  if (closes.test(after.segment) || opens.test(before.segment)) return false;
  if (before.isWordLike && after.isWordLike) return true;
  return /[-\u2010\u2013\u2014]$|[^\p{ASCII}\p{L}\p{M}\p{N}]$/u.test(before.segment);
}

/** Fills lines with chunks; one that is longer than a line is broken where it must be. */
function breakLines(placed: Placed[], width: number, size: number): Placed[][] {
  const lines: Placed[][] = [];
  let line: Placed[] = [];
  let used = 0;
  const next = () => {
    lines.push(line);
    line = [];
    used = 0;
  };
  for (const chunk of chunksOf(placed)) {
    const solid = shapedWidth(withoutEnd(chunk), size);
    if (line.length > 0 && used + solid > width) next();
    if (solid <= width) {
      line.push(...chunk);
      used += shapedWidth(chunk, size);
      continue;
    }
    for (const piece of chunk) {
      const longer = shapedWidth([...line, piece], size);
      if (line.length > 0 && longer > width && piece.drawn.trim() !== "") next();
      line.push(piece);
      used = line.length === 1 ? shapedWidth(line, size) : longer;
    }
  }
  next();
  return lines;
}

function chunksOf(placed: Placed[]): Placed[][] {
  const chunks: Placed[][] = [];
  for (const piece of placed) {
    const last = chunks.at(-1);
    if (last?.[0]?.chunk === piece.chunk) last.push(piece);
    else chunks.push([piece]);
  }
  return chunks;
}

/** The width as it is drawn: letters that join are narrower than each alone. */
const shapedWidth = (placed: Placed[], size: number) =>
  groupsOf(placed).reduce(
    (total, group) =>
      total + widthOf(group[0]?.face, group.map(({ drawn }) => drawn).join(""), size),
    0,
  );
const withoutEnd = (placed: readonly Placed[]) =>
  placed.slice(0, placed.findLastIndex(({ drawn }) => drawn.trim() !== "") + 1);

function lineOf(placed: Placed[], { size }: Style): Line {
  const runs: Run[] = [];
  let x = 0;
  for (const group of visualOrder(groupsOf(withoutEnd(placed)))) {
    const [first] = group;
    if (!first) continue;
    const text = drawnText(group, first.level);
    if (text !== "") runs.push({ text, face: first.face, x });
    x += widthOf(first.face, text, size);
  }
  return { text: placed.map((piece) => piece.text).join(""), runs, width: x };
}

/** Neighbours of one face and level, in the order in which they are read. */
function groupsOf(placed: Placed[]): Placed[][] {
  const groups: Placed[][] = [];
  for (const piece of placed) {
    const last = groups.at(-1)?.[0];
    if (last?.face === piece.face && last.level === piece.level) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

/** Rule L2 of the Unicode bidirectional algorithm, over whole groups. */
function visualOrder(groups: Placed[][]): Placed[][] {
  const level = (group: Placed[] | undefined) => group?.[0]?.level ?? 0;
  const ordered = [...groups];
  for (let turned = Math.max(0, ...groups.map(level)); turned > 0; turned -= 1) {
    for (let from = 0; from < ordered.length; from += 1) {
      if (level(ordered[from]) < turned) continue;
      let to = from;
      while (to < ordered.length && level(ordered[to]) >= turned) to += 1;
      ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = to;
    }
  }
  return ordered;
}

/** The text to hand to the font, which turns Arabic and Hebrew around and nothing else. */
function drawnText(group: Placed[], level: number): string {
  const rtl = (level & 1) === 1;
  const letters = rtl
    ? group.map(({ drawn }) => bidi.getMirroredCharacter(drawn) ?? drawn)
    : group.map(({ drawn }) => drawn);
  return (RIGHT_TO_LEFT.test(letters.join("")) === rtl ? letters : letters.reverse()).join("");
}

const MAX_WIDTHS = 20_000;
const widths = new Map<string, number>();

function widthOf(face: Face | undefined, text: string, size: number): number {
  if (!face || text === "") return 0;
  const key = `${face.name} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    width = face.font.layout(text).advanceWidth / face.font.unitsPerEm;
    if (widths.size >= MAX_WIDTHS) widths.clear();
    widths.set(key, width);
  }
  return width * size;
}
