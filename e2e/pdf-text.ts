import { inflateSync } from "node:zlib";

/** The letters that a PDF draws with the standard fonts: the hexadecimal strings of its content streams. */
export function pdfText(pdf: Buffer): string {
  let text = "";
  for (let at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 7)) {
    if (pdf.subarray(at - 3, at).toString() === "end") continue;
    try {
      const content = inflateSync(pdf.subarray(at + 7, pdf.indexOf("endstream", at))).toString("latin1");
      for (const [shown] of content.matchAll(/\[[^\]]*\] TJ/g)) text += `${[...shown.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => Buffer.from(hex ?? "", "hex").toString("latin1")).join("")}\n`;
    } catch {
      // A font or a picture, not text.
    }
  }
  return text;
}
