/** How CSV is read, in the browser and by the API alike: commas, or the semicolons or tabs that the header row has more of. */
export function csvDialect(text: string) {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  const count = (separator: string) => header.split(separator).length;
  return {
    delimiter: [";", "\t"].reduce(
      (best, separator) => (count(separator) > count(best) ? separator : best),
      ",",
    ),
    bom: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: 64 * 1024,
  };
}

/** The lines that have a cell with text in it. */
export const filledLines = (lines: string[][]): string[][] =>
  lines.filter((cells) => cells.some((cell) => cell !== ""));
