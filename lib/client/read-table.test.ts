import { expect, test } from "vitest";
import { readTable } from "./read-table";

const text = "E-Mail;Title;Amount\njürgen@example.com;Klassenfahrt é ñ;12,50\n";
const lines = [
  ["E-Mail", "Title", "Amount"],
  ["jürgen@example.com", "Klassenfahrt é ñ", "12,50"],
];
const read = (bytes: Uint8Array<ArrayBuffer>) => readTable(new File([bytes], "links.csv"));

/** Two bytes for each character, after the mark that says in which order. */
function utf16(littleEndian: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(2 + text.length * 2));
  for (const [at, character] of [..."\uFEFF", ...text].entries())
    view.setUint16(at * 2, character.charCodeAt(0), littleEndian);
  return new Uint8Array(view.buffer);
}

test.each([
  ["UTF-8", new TextEncoder().encode(text)],
  ["UTF-8 with a byte order mark", new TextEncoder().encode(`\uFEFF${text}`)],
  ["UTF-16, little end first", utf16(true)],
  ["UTF-16, big end first", utf16(false)],
])("%s is read as it was written, and nothing is said of it", async (_, bytes) => {
  expect(await read(bytes)).toEqual({ name: "links.csv", lines, numbers: [1, 2] });
});

test("a file that is no UTF-8 is read as Windows-1252, with every letter, and says so", async () => {
  // Each of these letters is one byte there, with the number that Unicode gives it.
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  expect(await read(bytes)).toEqual({
    name: "links.csv",
    lines,
    numbers: [1, 2],
    encoding: "Windows-1252",
  });
});
