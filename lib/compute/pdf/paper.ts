import PDFDocument from "pdfkit";
import type { Face } from "./faces";
import type { Line, Paragraph } from "./lines";

export type Paper = InstanceType<typeof PDFDocument>;

/** A4, in points. */
export const page = { width: 595.28, height: 841.89 };

/** Sizes and distances of the tokens, in points. */
export const point = (scale: number) => scale * 10;
export const space = (scale: number) => scale * 16;

/** Where letters stand within the height of a line. */
const BASELINE = 0.74;

type Info = { title: string; author: string };

/** A document without pages. Its texts are drawn by `drawParagraph` alone, so it knows no font of its own. */
export function newPaper(info: Info): Paper {
  return new PDFDocument({
    autoFirstPage: false,
    font: "",
    lang: "en",
    info: { Title: info.title, Author: info.author, Producer: "Kutip", Creator: "Kutip" },
  });
}

/** Draws a paragraph with its upper left corner at `x`, `y`. Each line carries its text, so that it is copied and read aloud as it was written. */
export function drawParagraph(
  paper: Paper,
  { lines, style, height }: Paragraph,
  x: number,
  y: number,
) {
  const step = height / lines.length;
  paper.fontSize(style.size).fillColor(style.color);
  for (const [index, line] of lines.entries())
    drawLine(paper, line, x, y + (index + BASELINE) * step);
}

function drawLine(paper: Paper, { text, runs }: Line, x: number, baseline: number) {
  if (runs.length === 0) return;
  paper.markContent("Span", { actual: text });
  for (const run of runs) {
    paper.font(fontOf(run.face), run.face.name);
    paper.text(run.text, x + run.x, baseline, {
      lineBreak: false,
      baseline: "alphabetic",
      features: [],
    });
  }
  paper.endMarkedContent();
}

/** pdfkit takes fonts that fontkit has opened, but its types do not name them. */
const fontOf = ({ font }: Face) => font as unknown as Uint8Array;

/** Ends the document and gives its bytes. */
export async function bytesOf(paper: Paper): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  paper.end();
  for await (const part of paper) parts.push(Buffer.from(part));
  return new Uint8Array(Buffer.concat(parts));
}
