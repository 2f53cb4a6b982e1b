/** A text, and the encoding that was assumed for it where its bytes do not say it. */
export type DecodedText = { text: string; encoding?: "Windows-1252" };

/** The text of a file. Excel saves CSV as UTF-8 or UTF-16 with a mark, or in the encoding of European Windows, which has none. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): DecodedText {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder("utf-16le").decode(bytes) };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder("utf-16be").decode(bytes) };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return {
      text: new TextDecoder("windows-1252").decode(bytes),
      encoding: "Windows-1252",
    };
  }
}
