/** The options that the browser and the API parse CSV with. The delimiter is the comma, semicolon or tab most frequent in the header row. */
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

/** The lines with text in at least one cell. */
export const filledLines = (lines: string[][]): string[][] =>
  lines.filter((cells) => cells.some((cell) => cell !== ""));
