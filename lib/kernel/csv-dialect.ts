/** Rows in which the header of an imported file may be: a title or two often stand above it. */
export const HEADER_ROWS = 5;

const delimiters = [",", ";", "\t"];
/** A header is shorter, and no record may be longer. */
const MAX_RECORD_CHARACTERS = 64 * 1024;

/** The options that the browser and the API parse CSV with. */
export const csvDialect = (text: string, delimiter = delimiterOf(text)) => ({
  delimiter,
  bom: true,
  trim: true,
  skip_empty_lines: true,
  relax_column_count: true,
  max_record_size: MAX_RECORD_CHARACTERS,
});

/** The delimiter most frequent in the header, which is the first line. */
const delimiterOf = (text: string): string => mostFrequentIn(firstLines(text)[0] ?? "", delimiters);

/** The delimiter of a file with titles above its header: it also splits the line after the header. */
export function delimiterBelowTitles(text: string): string {
  const lines = firstLines(text).filter((line) => line.trim() !== "");
  for (const [at, line] of lines.slice(0, HEADER_ROWS).entries()) {
    const next = lines[at + 1] ?? line;
    const both = delimiters.filter((one) => line.includes(one) && next.includes(one));
    if (both.length > 0) return mostFrequentIn(line, both);
  }
  return delimiterOf(text);
}

/** Without the texts in quotes, in which a delimiter or a line break means nothing. */
const firstLines = (text: string): string[] =>
  text
    .slice(0, MAX_RECORD_CHARACTERS)
    .replaceAll(/"[^"]*"/g, "")
    .split(/\r\n|\r|\n/);

const mostFrequentIn = (line: string, among: readonly string[]): string => {
  const count = (one: string) => line.split(one).length;
  return among.reduce((best, one) => (count(one) > count(best) ? one : best));
};

/** The lines with text in at least one cell. */
export const filledLines = (lines: string[][]): string[][] =>
  lines.filter((cells) => cells.some((cell) => cell !== ""));
